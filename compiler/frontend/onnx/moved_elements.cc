#include "compiler/frontend/onnx/moved_elements.h"

#include <numeric>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/typed_builder.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/op.h"
#include "core/nth.h"

namespace hone {

using relay::ExprPtr;

namespace {

MovedElement InField(const TypedBuilder& builder, const ExprPtr& tuple, int64_t axis, int64_t element) {
  const std::vector<ExprPtr>& fields = relay::AsTuple(tuple)->fields;
  const Shape& first = builder.ShapeOf(fields[0]);
  axis = relay::NormalizedAxis(axis, first.size());
  const int64_t inner = ElementCount(Shape(first.begin() + axis + 1, first.end()));
  int64_t extent = 0;
  for (const ExprPtr& field : fields) extent += Nth(builder.ShapeOf(field), axis);
  const int64_t outer = element / (extent * inner), behind = element % inner;
  int64_t at = element / inner % extent;
  for (const ExprPtr& field : fields) {
    const int64_t own = Nth(builder.ShapeOf(field), axis);
    if (at < own) return {field, (outer * own + at) * inner + behind};
    at -= own;
  }
  return {};
}

// Position `at` of each axis of the result is first + at * step of the axis of the data that it is from.
struct AxisMoves {
  std::vector<int64_t> first, step, from;
};

AxisMoves MovesOf(const relay::Call& call, bool turns, size_t rank) {
  AxisMoves moves{std::vector<int64_t>(rank, 0), std::vector<int64_t>(rank, 1), std::vector<int64_t>(rank)};
  std::iota(moves.from.begin(), moves.from.end(), int64_t{0});
  const std::vector<int64_t> axes = call.attrs.GetInts("axes");
  if (turns) {
    if (axes.empty()) std::iota(moves.from.rbegin(), moves.from.rend(), int64_t{0});
    for (size_t d = 0; d < axes.size(); ++d) moves.from[d] = relay::NormalizedAxis(axes[d], rank);
    return moves;
  }
  const std::vector<int64_t> begin = call.attrs.GetInts("begin"), strides = call.attrs.GetInts("strides");
  for (size_t i = 0; i < begin.size(); ++i) {
    const int64_t axis = axes.empty() ? static_cast<int64_t>(i) : relay::NormalizedAxis(axes[i], rank);
    Nth(moves.first, axis) = begin[i];
    if (!strides.empty()) Nth(moves.step, axis) = strides[strides.size() == 1 ? 0 : i];
  }
  return moves;
}

// The element before a transpose or a slice; -1 if it is none of the data's.
int64_t BeforeAxes(const Shape& data, const Shape& result, const AxisMoves& moves, int64_t element) {
  std::vector<int64_t> index(data.size());
  for (size_t d = result.size(); d-- > 0; element /= result[d]) {
    Nth(index, moves.from[d]) = Nth(moves.first, moves.from[d]) + element % result[d] * Nth(moves.step, moves.from[d]);
  }
  int64_t place = 0;
  for (size_t d = 0; d < data.size(); ++d) {
    if (index[d] < 0 || index[d] >= data[d]) return -1;
    place = place * data[d] + index[d];
  }
  return place;
}

// The element before a pick along one axis; -1 if its position is none of the data's.
int64_t BeforePick(const Shape& data, int64_t axis, const Tensor& positions, int64_t element) {
  axis = relay::NormalizedAxis(axis, data.size());
  const int64_t inner = ElementCount(Shape(data.begin() + axis + 1, data.end())), extent = Nth(data, axis);
  const int64_t given = IntegerAt(positions, element / inner % positions.elements());
  const int64_t at = given < 0 ? given + extent : given;
  if (at < 0 || at >= extent) return -1;
  return (element / inner / positions.elements() * extent + at) * inner + element % inner;
}

}  // namespace

MovedElement BeforeMove(const TypedBuilder& builder, const relay::Call& call, const Shape& result, int64_t element) {
  const std::string_view op = relay::AsOp(call.op)->def->name;
  const ExprPtr& data = call.args[0];
  if (op == "concatenate") return InField(builder, data, call.attrs.GetInt("axis"), element);
  if (op == "reshape" || op == "squeeze" || op == "expand_dims") return {data, element};
  if (op == "broadcast_to" && ElementCount(builder.ShapeOf(data)) == 1) return {data, 0};
  int64_t before = -1;
  if (op == "transpose" || op == "strided_slice") {
    const Shape& shape = builder.ShapeOf(data);
    before = BeforeAxes(shape, result, MovesOf(call, op == "transpose", shape.size()), element);
  } else if (op == "take") {
    const Tensor* positions = builder.ValueOf(call.args[1]);
    if (positions == nullptr || !HoldsExtents(positions->dtype())) return {};
    before = BeforePick(builder.ShapeOf(data), call.attrs.GetInt("axis"), *positions, element);
  }
  return before < 0 ? MovedElement() : MovedElement{data, before};
}

}  // namespace hone
