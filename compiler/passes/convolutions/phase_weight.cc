#include "compiler/passes/convolutions/phase_weight.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "compiler/passes/graph/channel_constant.h"
#include "compiler/passes/graph/fold_constants.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using Ints = std::vector<int64_t>;

namespace {

ExprPtr Made(const char* op, const std::vector<ExprPtr>& args, relay::Attrs attrs, const std::string& name) {
  const ExprPtr call = TypedCall(op, args, std::move(attrs), name);
  const ExprPtr folded = FoldConstant(call);
  return folded != nullptr ? folded : call;
}

std::string NameOf(const ExprPtr& expr) {
  const relay::Constant* constant = relay::AsConstant(expr);
  return constant != nullptr ? constant->name : "";
}

// The given taps along an axis. For -1, the tap of zeros that is padded behind the last one.
ExprPtr Taken(ExprPtr weight, const Ints& taps, int64_t axis) {
  const std::string name = NameOf(weight);
  const int64_t kernel = ShapeOf(weight)[static_cast<size_t>(axis)];
  Ints all(static_cast<size_t>(kernel));
  std::iota(all.begin(), all.end(), int64_t{0});
  if (taps == all) return weight;
  if (std::find(taps.begin(), taps.end(), -1) != taps.end()) {
    Ints width(2 * ShapeOf(weight).size(), 0);
    width[static_cast<size_t>(2 * axis + 1)] = 1;
    weight = Made("nn.pad", {weight}, {{"pad_width", width}}, name);
  }
  Tensor indices(DType::kInt64, {static_cast<int64_t>(taps.size())});
  for (size_t i = 0; i < taps.size(); ++i) indices.data<int64_t>()[i] = taps[i] < 0 ? kernel : taps[i];
  return Made("take", {weight, relay::MakeConstant(indices)}, {{"axis", axis}}, name);
}

// Turns (groups * inputs, outputs, ...) into (groups, outputs, inputs, ...).
ExprPtr OutputsFirst(const ExprPtr& weight, int64_t groups) {
  const Shape& shape = ShapeOf(weight);
  const std::string name = NameOf(weight);
  const Ints parts{groups, shape[0] / groups, shape[1], shape[2], shape[3]};
  const ExprPtr apart = Made("reshape", {weight}, {{"newshape", parts}}, name);
  return Made("transpose", {apart}, {{"axes", Ints{0, 2, 1, 3, 4}}}, name);
}

// Joins groups and outputs into one axis.
ExprPtr AsWeight(const ExprPtr& grouped) {
  const Shape& shape = ShapeOf(grouped);
  const Ints joined{shape[0] * shape[1], shape[2], shape[3], shape[4]};
  return Made("reshape", {grouped}, {{"newshape", joined}}, NameOf(grouped));
}

ExprPtr Window(const ExprPtr& weight, int64_t groups, const Ints& rows, const Ints& columns) {
  return OutputsFirst(Taken(Taken(weight, rows, 2), columns, 3), groups);
}

// Whether it is integers, perhaps minus a zero point, times scales.
bool IsQuantised(const ExprPtr& expr) {
  if (const Call* cast = relay::AsCallTo(expr, "cast")) return relay::AsConstant(cast->args[0]) != nullptr;
  for (const char* op : {"multiply", "subtract"}) {
    const Call* call = relay::AsCallTo(expr, op);
    if (call != nullptr && ShapeOf(call->args[0]) == ShapeOf(expr)) return IsQuantised(call->args[0]);
  }
  return false;
}

// Extends a value that depends only on the weight's output to the outputs of all groups; null for any other value.
ExprPtr PerOutput(const ExprPtr& expr, const Shape& weight, int64_t groups) {
  const ExprPtr folded = FoldConstant(expr);
  const auto values = PerChannel(folded != nullptr ? folded : expr, weight, 1);
  if (!values) return nullptr;
  std::vector<double> all;
  for (int64_t g = 0; g < groups; ++g) all.insert(all.end(), values->begin(), values->end());
  return ChannelConstant(all, weight.size(), 0, "");
}

}  // namespace

ExprPtr PhaseWeight(const ExprPtr& weight, int64_t groups, const Ints& rows, const Ints& columns) {
  const Call* call = IsQuantised(weight) ? relay::AsCall(weight) : nullptr;
  if (call != nullptr && call->args.size() == 1) {
    return TypedCall("cast", {PhaseWeight(call->args[0], groups, rows, columns)}, call->attrs, call->name);
  }
  const ExprPtr by = call != nullptr ? PerOutput(call->args[1], ShapeOf(weight), groups) : nullptr;
  if (by != nullptr) {
    const std::string& op = relay::AsOp(call->op)->def->name;
    return TypedCall(op, {PhaseWeight(call->args[0], groups, rows, columns), by}, call->attrs, call->name);
  }
  return AsWeight(Window(weight, groups, rows, columns));
}

ExprPtr JointWeight(const ExprPtr& weight, int64_t groups, const std::vector<PhaseTaps>& windows) {
  std::vector<ExprPtr> parts;
  for (const PhaseTaps& taps : windows) parts.push_back(Window(weight, groups, taps.rows, taps.columns));
  return AsWeight(Made("concatenate", {TypedTuple(std::move(parts))}, {{"axis", int64_t{1}}}, NameOf(weight)));
}

}  // namespace hone
