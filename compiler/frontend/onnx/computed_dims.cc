#include "compiler/frontend/onnx/computed_dims.h"

#include <fmt/format.h>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/relay/op.h"
#include "core/nth.h"
#include "core/tensor.h"

namespace hone {

using relay::ExprPtr;

namespace {

// No value has more axes.
constexpr int64_t kMostDims = 16;

bool IsInteger(DType dtype) { return dtype == DType::kInt64 || dtype == DType::kInt32; }

// The origin of element i of an expression, as far back as only moves lead. Elements are counted in row-major order in
// both expressions.
struct Source {
  ExprPtr expr;
  int64_t i = 0;
};

// For a join along the first axis of vectors.
Source InField(const TypedBuilder& builder, const relay::Call& join, int64_t i) {
  for (const ExprPtr& field : relay::AsTuple(join.args[0])->fields) {
    const int64_t elements = ElementCount(builder.ShapeOf(field));
    if (i < elements) return {field, i};
    i -= elements;
  }
  return {};
}

// One step back; null if the call computes the element.
Source Before(const TypedBuilder& builder, const relay::Call& call, int64_t i) {
  const std::string_view op = relay::AsOp(call.op)->def->name;
  if (op == "concatenate") return InField(builder, call, i);
  const ExprPtr& data = call.args[0];
  if (op == "reshape" || op == "squeeze" || op == "expand_dims") return {data, i};
  if (op == "cast" && IsInteger(builder.DTypeOf(data))) return {data, i};
  if (builder.ShapeOf(data).size() != 1) return {};
  if (op == "strided_slice") {
    const std::vector<int64_t> strides = call.attrs.GetInts("strides");
    return {data, call.attrs.GetInts("begin").at(0) + i * (strides.empty() ? 1 : strides[0])};
  }
  const Tensor* indices = op == "take" ? builder.ValueOf(call.args[1]) : nullptr;
  if (indices == nullptr || !IsInteger(indices->dtype())) return {};
  const int64_t index = IntegerAt(*indices, i), extent = builder.ShapeOf(data)[0];
  return {data, index < 0 ? index + extent : index};
}

ComputedDim DimAt(const OnnxNodeView& view, Source at) {
  const TypedBuilder& builder = view.builder();
  while (const relay::Call* call = relay::AsCall(at.expr)) {
    const Source before = builder.CountsOf(at.expr).empty() ? Before(builder, *call, at.i) : Source();
    if (before.expr == nullptr) break;
    at = before;
  }
  if (const Tensor* known = builder.ValueOf(at.expr)) return {IntegerAt(*known, at.i), nullptr};
  if (builder.ShapeOf(at.expr).empty() && builder.DTypeOf(at.expr) == DType::kInt64) return {0, at.expr};
  const ExprPtr flat = view.Reshape(at.expr, {ElementCount(builder.ShapeOf(at.expr))});
  const ExprPtr one = view.Call("take", {flat, CountOf(at.i)}, {{"axis", int64_t{0}}});
  return {0, AsDType(view, one, DType::kInt64)};
}

}  // namespace

std::vector<ComputedDim> ComputedDims(const OnnxNodeView& view, int input, std::string_view what) {
  const ExprPtr& given = view.Input(input);
  const Shape& shape = view.InputShape(input);
  if (!IsInteger(view.builder().DTypeOf(given)) || shape.size() > 1 || !view.builder().CountsOf(given).empty()) {
    RefuseNode(fmt::format("its {} must be known when the model is imported, or integers of one axis", what));
  }
  if (ElementCount(shape) > kMostDims) {
    RefuseNode(fmt::format("its {} has {} numbers, at most {}", what, ElementCount(shape), kMostDims));
  }
  std::vector<ComputedDim> dims;
  for (int64_t i = 0; i < ElementCount(shape); ++i) dims.push_back(DimAt(view, {given, i}));
  return dims;
}

int64_t MostOf(const OnnxNodeView& view, const ExprPtr& count, std::string_view what) {
  TypedBuilder& builder = view.builder();
  if (const auto bound = builder.BoundOf(count)) return *bound;
  if (builder.max_dim() == 0) {
    RefuseNode(fmt::format("its {} must be known when the model is imported; --max-dim N gives the most that it can be",
                           what));
  }
  builder.RequireCount(count, builder.max_dim());
  return builder.max_dim();
}

}  // namespace hone
