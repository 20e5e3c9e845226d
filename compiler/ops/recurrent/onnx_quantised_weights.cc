#include "compiler/ops/recurrent/onnx_quantised_weights.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

using relay::ExprPtr;

namespace {

// Scales or zero points, one per direction or one per direction and column, in a shape that broadcasts to the weight.
ExprPtr PerWeightColumn(const OnnxNodeView& view, int input, const Shape& weight) {
  const Shape& shape = view.InputShape(input);
  const bool each = shape.size() == 2 && shape[0] == weight[0] && shape[1] == weight[2];
  const bool whole = ElementCount(shape) == weight[0] && shape.size() <= 2;
  if (!each && !whole) {
    RefuseNode(fmt::format("scales or zero points of {} for a weight of {}", ShapeText(shape), ShapeText(weight)));
  }
  return view.Reshape(view.Input(input), {weight[0], 1, each ? weight[2] : 1});
}

const Shape& IntegersShape(const OnnxNodeView& view, int weight) {
  const Shape& shape = view.InputShape(weight);
  const DType dtype = view.builder().DTypeOf(view.Input(weight));
  if (shape.size() == 3 && (dtype == DType::kInt8 || dtype == DType::kUInt8)) return shape;
  RefuseNode(fmt::format("input {} is {} of {}; it must have three dims of int8 or uint8", weight, ShapeText(shape),
                         DTypeName(dtype)));
}

}  // namespace

ExprPtr AsLstm(const OnnxNodeView& view, const ExprPtr& weight) {
  return view.Call("transpose", {weight}, {{"axes", std::vector<int64_t>{0, 2, 1}}});
}

ExprPtr DequantisedWeight(const OnnxNodeView& view, int weight, int scale) {
  const Shape shape = IntegersShape(view, weight);
  const auto real = [&](const ExprPtr& integers) {
    return view.Call("cast", {integers}, {{"dtype", std::string("float32")}});
  };
  ExprPtr value = real(view.Input(weight));
  if (view.HasInput(scale + 1)) value = view.Call("subtract", {value, real(PerWeightColumn(view, scale + 1, shape))});
  return AsLstm(view, view.Call("multiply", {value, PerWeightColumn(view, scale, shape)}));
}

std::optional<Tensor> CentredInt8(const OnnxNodeView& view, int weight, int zero_point) {
  const Shape& shape = IntegersShape(view, weight);
  const Tensor* integers = view.InputValue(weight);
  const bool shifted = view.HasInput(zero_point);
  const Tensor* zero = shifted ? view.InputValue(zero_point) : nullptr;
  if (integers == nullptr || (shifted && zero == nullptr)) return std::nullopt;
  if (shifted) PerWeightColumn(view, zero_point, shape);  // refuses other shapes
  const int64_t columns = shape[2], each = shape[1] * columns;
  const bool of_columns = shifted && zero->elements() != shape[0];
  Tensor centred(DType::kInt8, shape);
  for (int64_t i = 0; i < integers->elements(); ++i) {
    const int64_t direction = i / each, at = of_columns ? direction * columns + i % columns : direction;
    const double value = integers->At(i) - (shifted ? zero->At(at) : 0);
    if (value < -128 || value > 127) return std::nullopt;
    centred.Set(i, value);
  }
  return centred;
}

ExprPtr ScalesOfColumns(const OnnxNodeView& view, int scale, const Shape& weight) {
  const ExprPtr each = PerWeightColumn(view, scale, weight);
  const Shape all{weight[0], 1, weight[2]};
  return view.Reshape(view.Call("broadcast_to", {each}, {{"shape", all}}), {weight[0], weight[2]});
}

}  // namespace hone
