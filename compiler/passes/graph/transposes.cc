#include "compiler/passes/graph/transposes.h"

#include <algorithm>
#include <numeric>

#include "compiler/passes/graph/fold_constants.h"
#include "compiler/passes/graph/typed_graph.h"
#include "core/nth.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

const Call* AsTranspose(const ExprPtr& expr) { return relay::AsCallTo(expr, "transpose"); }

Axes TransposeAxes(const Call& transpose) {
  const size_t rank = ShapeOf(transpose.args[0]).size();
  Axes axes = transpose.attrs.GetInts("axes");
  if (axes.empty()) {
    axes.resize(rank);
    std::iota(axes.rbegin(), axes.rend(), 0);
  }
  for (int64_t& axis : axes) axis = FromFront(axis, rank);
  return axes;
}

std::string TransposedFrom(const Call& transpose, std::string_view result) {
  const Axes axes = TransposeAxes(transpose);
  std::string argument(result.size(), ' ');
  for (size_t d = 0; d < result.size(); ++d) Nth(argument, axes[d]) = result[d];
  return argument;
}

Axes Inverse(const Axes& axes) {
  Axes inverse(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) Nth(inverse, axes[i]) = static_cast<int64_t>(i);
  return inverse;
}

int64_t FromFront(int64_t axis, size_t rank) { return axis < 0 ? axis + static_cast<int64_t>(rank) : axis; }

ExprPtr Transposed(const ExprPtr& expr, const Axes& axes, const std::string& name) {
  if (std::is_sorted(axes.begin(), axes.end())) return expr;
  if (const Call* inner = AsTranspose(expr)) {
    const Axes first = TransposeAxes(*inner);
    Axes joined;
    for (const int64_t axis : axes) joined.push_back(Nth(first, axis));
    return Transposed(inner->args[0], joined, inner->name);
  }
  const ExprPtr call = TypedCall("transpose", {expr}, {{"axes", axes}}, name);
  const ExprPtr folded = FoldConstant(call);
  return folded ? folded : call;
}

ExprPtr JoinTransposes(const ExprPtr& node) {
  const Call* outer = AsTranspose(node);
  if (outer == nullptr) return nullptr;
  const Axes axes = TransposeAxes(*outer);
  if (!std::is_sorted(axes.begin(), axes.end()) && AsTranspose(outer->args[0]) == nullptr) return nullptr;
  return Transposed(outer->args[0], axes, outer->name);
}

bool MovesOnesOnly(const Call& transpose) {
  const Shape& shape = ShapeOf(transpose.args[0]);
  int64_t last = -1;
  for (const int64_t axis : TransposeAxes(transpose)) {
    const int64_t dim = Nth(shape, axis);
    if (dim == relay::kAnyDim) return false;
    if (dim == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

}  // namespace hone
