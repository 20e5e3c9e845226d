// Conversions between real and quantised tensors: QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear.
#include <fmt/format.h>

#include "compiler/ops/onnx_families.h"
#include "compiler/ops/quantised/onnx_parameters.h"

namespace hone {
namespace {

using relay::ExprPtr;

QuantisedAxis QuantisedAxisOf(const OnnxNodeView& view) {
  const int64_t block = view.Int("block_size", 0);
  // A scale of one value may come with any axis, even one that the tensor lacks.
  if (block == 0 && ElementCount(view.InputShape(1)) == 1) return {};
  return {OnnxNodeView::Axis(view.Int("axis", 1), view.InputRank(0)), block};
}

// The narrow integers that the result has by its zero point or by ONNX's number of a type; null for bytes.
const NarrowInteger* NarrowResult(const OnnxNodeView& view) {
  return view.HasInput(2) ? view.InputNarrow(2) : FindNarrowInteger(view.Int("output_dtype", 0));
}

// The dtype of the result without a zero point to tell it, from ONNX's number of a type.
DType ResultDType(const OnnxNodeView& view) {
  constexpr int64_t kOnnxUInt8 = 2, kOnnxInt8 = 3;
  const int64_t given = view.Int("output_dtype", 0);
  if (const NarrowInteger* narrow = NarrowResult(view)) return narrow->stored;
  if (view.HasInput(2) || given == 0) return QuantisedDType(view, 2);
  if (given != kOnnxUInt8 && given != kOnnxInt8) {
    RefuseNode(fmt::format("the element type {} is not supported; integers of 2, 4, 8 and 16 bits are", given));
  }
  return given == kOnnxInt8 ? DType::kInt8 : DType::kUInt8;
}

std::vector<ExprPtr> QuantizeLinear(const OnnxNodeView& view) {
  const Quantisation by = ReadQuantisation(view, 1, 2, view.InputShape(0), QuantisedAxisOf(view));
  return {Quantised(view, AsDType(view, view.Input(0), DType::kFloat32), by, ResultDType(view), NarrowResult(view))};
}

std::vector<ExprPtr> DequantizeLinear(const OnnxNodeView& view) {
  const Quantisation by = ReadQuantisation(view, 1, 2, view.InputShape(0), QuantisedAxisOf(view));
  return {Dequantised(view, view.Input(0), by, view.InputNarrow(0))};
}

std::vector<ExprPtr> DynamicQuantizeLinear(const OnnxNodeView& view) {
  const DynamicallyQuantised result = QuantisedDynamically(view, view.Input(0));
  return {result.integers, result.by.scale, result.by.zero_point};
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
