// Between real and quantised tensors: QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx_operators.h"
#include "compiler/frontend/quantised.h"

namespace hone {
namespace {

using relay::ExprPtr;

QuantisedAxis AxisOf(const OnnxNodeView& view) {
  const int64_t block = view.Int("block_size", 0);
  // A scale of one value may come with any axis, also where the tensor has none.
  if (block == 0 && ElementCount(view.InputShape(1)) == 1) return {};
  return {OnnxNodeView::Axis(view.Int("axis", 1), view.InputRank(0)), block};
}

// ONNX's number of the type to quantise to, when there is no zero point to say it.
DType ResultDType(const OnnxNodeView& view) {
  constexpr int64_t kOnnxUInt8 = 2, kOnnxInt8 = 3;
  const int64_t given = view.Int("output_dtype", 0);
  if (view.HasInput(2) || given == 0) return QuantisedDType(view, 2);
  if (given != kOnnxUInt8 && given != kOnnxInt8) {
    RefuseNode(fmt::format("the element type {} is not supported; uint8 and int8 are", given));
  }
  return given == kOnnxInt8 ? DType::kInt8 : DType::kUInt8;
}

std::vector<ExprPtr> QuantizeLinear(const OnnxNodeView& view) {
  const Quantisation by = ReadQuantisation(view, 1, 2, view.InputShape(0), AxisOf(view));
  return {Quantised(view, AsDType(view, view.Input(0), DType::kFloat32), by, ResultDType(view))};
}

std::vector<ExprPtr> DequantizeLinear(const OnnxNodeView& view) {
  const Quantisation by = ReadQuantisation(view, 1, 2, view.InputShape(0), AxisOf(view));
  return {Dequantised(view, view.Input(0), by)};
}

// In two steps, of which the first has work for many threads; pools of images take them as they lie.
ExprPtr Largest(const OnnxNodeView& view, const ExprPtr& data) {
  const size_t rank = view.builder().ShapeOf(data).size();
  const relay::Attrs last{{"axis", std::vector<int64_t>{static_cast<int64_t>(rank) - 1}}};
  ExprPtr part = data;
  if (rank == 4) part = view.Call("nn.global_max_pool2d", {data});
  if (rank == 2 || rank == 3 || rank > 4) part = view.Call("max", {data}, last);
  return view.Call("maximum", {view.Call("max", {part}), ScalarFloat(0)});
}

// The range reaches to 0 at least, so that 0 is one of the quantised values.
std::vector<ExprPtr> DynamicQuantizeLinear(const OnnxNodeView& view) {
  const ExprPtr& x = view.Input(0);
  const ExprPtr most = Largest(view, x);
  const ExprPtr least = view.Call("negative", {Largest(view, view.Call("negative", {x}))});
  const ExprPtr extent = view.Call("subtract", {most, least});
  // 1 where all is zero, else 0: no quotient by zero.
  const ExprPtr some = AsDType(view, AsDType(view, extent, DType::kBool), DType::kFloat32);
  const ExprPtr none = view.Call("subtract", {ScalarFloat(1), some});
  const ExprPtr scale = view.Call("add", {view.Call("divide", {extent, ScalarFloat(255)}), none});
  const ExprPtr below = view.Call("negative", {view.Call("divide", {least, scale})});
  const ExprPtr zero_point = Saturated(view, below, nullptr, DType::kUInt8);
  return {Quantised(view, x, {scale, zero_point}, DType::kUInt8), scale, zero_point};
}

}  // namespace

OnnxOperatorTable QuantisationOperators() {
  const std::vector<std::string_view> attributes{"axis", "block_size", "output_dtype", "precision", "saturate"};
  return {
      {"QuantizeLinear", 2, 3, QuantizeLinear, attributes},
      {"DequantizeLinear", 2, 3, DequantizeLinear, attributes},
      {"QuantizeLinear", 2, 3, QuantizeLinear, attributes, kMicrosoft},
      {"DequantizeLinear", 2, 3, DequantizeLinear, attributes, kMicrosoft},
      {"DynamicQuantizeLinear", 1, 1, DynamicQuantizeLinear, {}},
  };
}

}  // namespace hone
