#include "compiler/frontend/onnx/expressions.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "compiler/frontend/onnx/count_reshape.h"
#include "core/nth.h"

namespace hone {

DType CastTarget(int64_t onnx_type) {
  switch (onnx_type) {
    case 1:
    case 10:
    case 11:
    case 16:
      return DType::kFloat32;
    case 2:
      return DType::kUInt8;
    case 3:
      return DType::kInt8;
    case 6:
      return DType::kInt32;
    case 7:
      return DType::kInt64;
    case 9:
      return DType::kBool;
    case 8:
      RefuseNode("it casts to text, which is not supported; leave numbers as they are, and write them outside");
    default:
      RefuseNode(fmt::format("the element type {} to cast to is not supported; bool, integers and real floats are",
                             onnx_type));
  }
}

relay::ExprPtr AsDType(const OnnxNodeView& view, const relay::ExprPtr& expr, DType dtype) {
  if (view.builder().DTypeOf(expr) == dtype) return expr;
  return view.Call("cast", {expr}, {{"dtype", std::string(DTypeName(dtype))}});
}

relay::ExprPtr ScalarLike(const OnnxNodeView& view, const relay::ExprPtr& like, double value) {
  Tensor tensor(view.builder().DTypeOf(like), {});
  tensor.Set(0, value);
  return relay::MakeConstant(std::move(tensor));
}

relay::ExprPtr WithScalar(const OnnxNodeView& view, std::string_view op, const relay::ExprPtr& lhs, double rhs) {
  return view.Call(op, {lhs, ScalarLike(view, lhs, rhs)});
}

relay::ExprPtr Positions(int64_t extent, int64_t axis, int64_t rank, int64_t begin) {
  Shape shape(static_cast<size_t>(rank), 1);
  Nth(shape, axis) = extent;
  std::vector<int64_t> values(static_cast<size_t>(extent));
  std::iota(values.begin(), values.end(), begin);
  return relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, shape, values));
}

relay::ExprPtr PositionsAlong(TypedBuilder& builder, const relay::ExprPtr& value, int64_t axis, int64_t into,
                              int64_t rank, int64_t begin) {
  relay::ExprPtr positions = Positions(Nth(builder.ShapeOf(value), axis), into, rank, begin);
  if (!IsCounted(builder, value, axis)) return positions;
  Counts counts(static_cast<size_t>(rank));
  Nth(counts, into) = Nth(builder.CountsOf(value), axis);
  builder.SetCounts(positions, std::move(counts));
  return positions;
}

void RequireElements(TypedBuilder& builder, const relay::ExprPtr& value, int64_t axis, const relay::ExprPtr& least) {
  if (!IsCounted(builder, value, axis)) return;
  ExtentForms& extents = builder.extents();
  const relay::ExprPtr extent = ExtentOf(builder, value, axis);
  const auto form = Sum(extents.FormOf(extent), extents.FormOf(least), -1);
  const relay::ExprPtr left = form ? extents.NumberOf(*form) : builder.OfNoNode("subtract", {extent, least});
  if (!form || extents.RangeOf(*form).least < 0) builder.RequireCount(left, Nth(builder.ShapeOf(value), axis));
}

relay::ExprPtr ReshapeLike(const OnnxNodeView& view, const relay::ExprPtr& expr, const relay::ExprPtr& like) {
  TypedBuilder& builder = view.builder();
  if (builder.CountsOf(like).empty()) return view.Reshape(expr, builder.ShapeOf(like));
  return ReshapeCounted(builder, expr, builder.ShapeOf(like), builder.CountsOf(like));
}

relay::ExprPtr ConstantIfKnown(TypedBuilder& builder, const relay::ExprPtr& expr) {
  constexpr int64_t kMost = 16;
  const relay::TypePtr type = builder.TypeOf(expr);
  if (type->kind != relay::TypeKind::kTensor || IsFloat(type->dtype) || ElementCount(type->shape) > kMost ||
      relay::AsCall(expr) == nullptr || !builder.CountsOf(expr).empty()) {
    return expr;
  }
  Tensor value(type->dtype, type->shape);
  for (int64_t i = 0; i < value.elements(); ++i) {
    const auto known = builder.extents().KnownOf(expr, i);
    if (!known) return expr;
    SetInteger(value, i, *known);
  }
  return relay::MakeConstant(std::move(value));
}

}  // namespace hone
