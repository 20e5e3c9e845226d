// Conversions between real and quantised tensors: QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear.
#include "compiler/ops/quantised/onnx.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ops/onnx_families.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;

QuantisedAxis QuantisedAxisOf(const OnnxNodeView& view) {
  const int64_t block = view.Int("block_size", 0);
  // A scale of one value may come with any axis, even one that the tensor lacks.
  if (block == 0 && ElementCount(view.InputShape(1)) == 1) return {};
  return {OnnxNodeView::Axis(view.Int("axis", 1), view.InputRank(0)), block};
}

// The narrow type that the result has by its zero point or by ONNX's number of a type; null for bytes.
const NarrowType* NarrowResult(const OnnxNodeView& view) {
  return view.HasInput(2) ? view.InputNarrow(2) : FindNarrowType(view.Int("output_dtype", 0));
}

// The dtype of the result without a zero point to tell it, from ONNX's number of a type.
DType ResultDType(const OnnxNodeView& view) {
  constexpr int64_t kOnnxUInt8 = 2, kOnnxInt8 = 3;
  const int64_t given = view.Int("output_dtype", 0);
  if (const NarrowType* narrow = NarrowResult(view)) return narrow->stored;
  if (view.HasInput(2) || given == 0) return QuantisedDType(view, 2);
  if (given != kOnnxUInt8 && given != kOnnxInt8) {
    RefuseNode(fmt::format(
        "the element type {} is not supported; floats of 4 and 8 bits and integers of 2, 4, 8 and 16 bits are", given));
  }
  return given == kOnnxInt8 ? DType::kInt8 : DType::kUInt8;
}

// The zero point of floats is 0, but floats of 4 bits may have another.
std::vector<ExprPtr> QuantizeLinear(const OnnxNodeView& view) {
  const Quantisation by = ReadQuantisation(view, 1, 2, view.InputShape(0), QuantisedAxisOf(view));
  if (const NarrowType* narrow = NarrowResult(view); narrow != nullptr && narrow->is_real()) {
    ExprPtr quotient = view.Call("divide", {view.Input(0), by.scale});
    if (narrow->bits == 4 && by.zero_point != nullptr) quotient = view.Call("add", {quotient, by.zero_point});
    return {AsNarrow(view, quotient, *narrow, {.saturates = view.Int("saturate", 1) != 0})};
  }
  return {Quantised(view, AsDType(view, view.Input(0), DType::kFloat32), by, ResultDType(view), NarrowResult(view))};
}

std::vector<ExprPtr> DequantizeLinear(const OnnxNodeView& view) {
  if (const ExprPtr blocks = DequantisedBlocks(view)) return {blocks};
  const Quantisation by = ReadQuantisation(view, 1, 2, view.InputShape(0), QuantisedAxisOf(view));
  if (const NarrowType* narrow = view.InputNarrow(0); narrow != nullptr && narrow->is_real()) {
    return {view.Call("multiply", {view.Input(0), by.scale})};
  }
  return {Dequantised(view, view.Input(0), by, view.InputNarrow(0))};
}

std::vector<ExprPtr> DynamicQuantizeLinear(const OnnxNodeView& view) {
  const DynamicallyQuantised result = QuantisedDynamically(view, view.Input(0));
  return {result.integers, result.by.scale, result.by.zero_point};
}

struct QuantisedRange {
  double low;
  double high;
};

QuantisedRange QuantisedRangeOf(DType dtype, const NarrowType* narrow) {
  if (narrow != nullptr) return {narrow->low(), narrow->high()};
  if (dtype == DType::kUInt8) return {0, 255};
  if (dtype == DType::kInt8) return {-128, 127};
  if (dtype == DType::kInt32) return {-2147483648.0, 2147483647.0};
  RefuseNode(fmt::format("quantised data of {} are not supported; uint8, int8 and int32 are", DTypeName(dtype)));
}

bool IsZero(const Tensor* value) {
  if (value == nullptr) return false;
  for (int64_t i = 0; i < value->elements(); ++i) {
    if (value->At(i) != 0) return false;
  }
  return true;
}

// Reshapes (C) to (C, 1, ..., 1) for the axis of a tensor of `rank`.
ExprPtr AlongAxis(const OnnxNodeView& view, const ExprPtr& vector, int64_t axis, size_t rank) {
  Shape shape(rank - static_cast<size_t>(axis), 1);
  shape[0] = view.builder().ShapeOf(vector)[0];
  return view.Reshape(vector, shape);
}

// Repeats each value for the elements of its block.
ExprPtr Repeated(const OnnxNodeView& view, const ExprPtr& values, const Shape& shape, const QuantisedAxis& axis) {
  const auto at = static_cast<size_t>(axis.axis);
  Shape blocks = shape;
  blocks[at] = axis.block < 1 ? 0 : CeilDiv(shape[at], axis.block);
  if (axis.block < 1 || view.builder().ShapeOf(values) != blocks) {
    RefuseNode(fmt::format("{} scales for {} in blocks of {} along axis {}; one scale for each block is right",
                           ShapeText(view.builder().ShapeOf(values)), ShapeText(shape), axis.block, axis.axis));
  }
  Shape apart = blocks;
  apart.insert(apart.begin() + axis.axis + 1, 1);
  Shape full = apart;
  full[at + 1] = axis.block;
  view.builder().Spend(ElementCount(shape) * 8);
  Shape whole = blocks;
  whole[at] *= axis.block;
  const ExprPtr all = view.Reshape(view.Call("broadcast_to", {view.Reshape(values, apart)}, {{"shape", full}}), whole);
  return whole == shape ? all : view.Slice(all, axis.axis, 0, shape[at]);
}

// Two steps, so that the first has work for many threads. Pools of images read them in place.
ExprPtr Largest(const OnnxNodeView& view, const ExprPtr& data) {
  const size_t rank = view.builder().ShapeOf(data).size();
  const relay::Attrs last{{"axis", std::vector<int64_t>{static_cast<int64_t>(rank) - 1}}};
  ExprPtr part = data;
  if (rank == 4) part = view.Call("nn.global_max_pool2d", {data});
  if (rank == 2 || rank == 3 || rank > 4) part = view.Call("max", {data}, last);
  return view.Call("maximum", {view.Call("max", {part}), ScalarFloat(0)});
}

}  // namespace

ExprPtr ScalarFloat(double value) { return relay::MakeConstant(Tensor::Scalar(static_cast<float>(value))); }

ExprPtr ScalarInt32(int32_t value) {
  return relay::MakeConstant(Tensor::FromVector<int32_t>(DType::kInt32, {}, {value}));
}

ExprPtr ReadPerAxis(const OnnxNodeView& view, int input, const Shape& shape, const QuantisedAxis& axis) {
  if (!view.HasInput(input)) return nullptr;
  const ExprPtr& values = view.Input(input);
  const Shape& given = view.InputShape(input);
  if (axis.block != 0) return Repeated(view, values, shape, axis);
  if (ElementCount(given) == 1) return view.Reshape(values, {});
  if (given.size() != 1 || axis.axis >= static_cast<int64_t>(shape.size()) || given[0] != Nth(shape, axis.axis)) {
    RefuseNode(fmt::format("input {} is {}; one value, or one for each position of axis {} of {}, is right", input,
                           ShapeText(given), axis.axis, ShapeText(shape)));
  }
  return AlongAxis(view, values, axis.axis, shape.size());
}

void RequireScales(const OnnxNodeView& view, const std::vector<int>& inputs, bool may_be_negative) {
  for (const int input : inputs) {
    const Tensor* scales = view.HasInput(input) ? view.InputValue(input) : nullptr;
    for (int64_t i = 0; scales != nullptr && i < scales->elements(); ++i) {
      const double scale = scales->At(i);
      if (std::isfinite(scale) && (scale > 0 || may_be_negative)) continue;
      const char* const cause =
          std::isinf(scale) ? "; a mask of minus infinity makes such scales: quantise a model with a finite mask" : "";
      RefuseNode(fmt::format("input {}, a scale, has the value {}; it must be {}finite{}", input, scale,
                             may_be_negative ? "" : "positive and ", cause));
    }
  }
}

Quantisation ReadQuantisation(const OnnxNodeView& view, int scale, int zero_point, const Shape& shape,
                              const QuantisedAxis& axis) {
  if (!view.HasInput(scale)) RefuseNode(fmt::format("input {}, its scale, is missing", scale));
  if (view.builder().DTypeOf(view.Input(scale)) != DType::kFloat32) RefuseNode("its scale must be a float");
  RequireScales(view, {scale}, axis.block != 0);
  return {ReadPerAxis(view, scale, shape, axis), ReadPerAxis(view, zero_point, shape, axis)};
}

WholeNumbers Centred(const OnnxNodeView& view, const ExprPtr& integers, const ExprPtr& zero_point,
                     const NarrowType* narrow) {
  const DType dtype = view.builder().DTypeOf(integers);
  const QuantisedRange range = QuantisedRangeOf(dtype, narrow);
  WholeNumbers numbers{AsDType(view, integers, DType::kFloat32), std::min(range.low, 0.0), std::max(range.high, 0.0),
                       integers};
  if (zero_point == nullptr) return numbers;
  if (view.builder().DTypeOf(zero_point) != dtype) RefuseNode("the zero point must be of the data's type");
  const Tensor* zero = view.builder().ValueOf(zero_point);
  if (IsZero(zero)) return numbers;
  if (dtype == DType::kInt32 && narrow == nullptr) RefuseNode("int32 data must have the zero point 0");
  double least = zero ? zero->At(0) : range.low, most = zero ? zero->At(0) : range.high;
  for (int64_t i = 0; zero != nullptr && i < zero->elements(); ++i) {
    least = std::min(least, zero->At(i));
    most = std::max(most, zero->At(i));
  }
  return {view.Call("subtract", {numbers.value, AsDType(view, zero_point, DType::kFloat32)}), range.low - most,
          range.high - least, integers, zero_point};
}

ExprPtr Dequantised(const OnnxNodeView& view, const ExprPtr& integers, const Quantisation& by,
                    const NarrowType* narrow) {
  return view.builder().Unfolded("multiply", {Centred(view, integers, by.zero_point, narrow).value, by.scale});
}

ExprPtr Saturated(const OnnxNodeView& view, const ExprPtr& quotient, const ExprPtr& zero_point, DType dtype,
                  const NarrowType* narrow) {
  const QuantisedRange range = QuantisedRangeOf(dtype, narrow);
  ExprPtr whole = view.Call("round", {quotient});
  if (zero_point != nullptr && !IsZero(view.builder().ValueOf(zero_point))) {
    whole = view.Call("add", {whole, AsDType(view, zero_point, DType::kFloat32)});
  }
  return AsDType(view, view.Call("clip", {whole}, {{"a_min", range.low}, {"a_max", range.high}}), dtype);
}

ExprPtr Quantised(const OnnxNodeView& view, const ExprPtr& real, const Quantisation& by, DType dtype,
                  const NarrowType* narrow) {
  return Saturated(view, view.Call("divide", {real, by.scale}), by.zero_point, dtype, narrow);
}

DType QuantisedDType(const OnnxNodeView& view, int zero_point) {
  if (!view.HasInput(zero_point)) return DType::kUInt8;
  const DType dtype = view.builder().DTypeOf(view.Input(zero_point));
  if (dtype != DType::kUInt8 && dtype != DType::kInt8) {
    RefuseNode(fmt::format("its zero point is {}; uint8 and int8 are supported", DTypeName(dtype)));
  }
  return dtype;
}

DynamicallyQuantised QuantisedDynamically(const OnnxNodeView& view, const ExprPtr& x) {
  const ExprPtr most = Largest(view, x);
  const ExprPtr least = view.Call("negative", {Largest(view, view.Call("negative", {x}))});
  const ExprPtr extent = view.Call("subtract", {most, least});
  // 1 if everything is zero, else 0, so that no quotient divides by zero.
  const ExprPtr some = AsDType(view, AsDType(view, extent, DType::kBool), DType::kFloat32);
  const ExprPtr none = view.Call("subtract", {ScalarFloat(1), some});
  const ExprPtr scale = view.Call("add", {view.Call("divide", {extent, ScalarFloat(255)}), none});
  const ExprPtr below = view.Call("negative", {view.Call("divide", {least, scale})});
  const ExprPtr zero_point = Saturated(view, below, nullptr, DType::kUInt8);
  return {Quantised(view, x, {scale, zero_point}, DType::kUInt8), {scale, zero_point}};
}

OnnxOperatorTable QuantisationOperators() {
  const std::vector<std::string_view> attributes{"axis", "block_size", "output_dtype", "precision", "saturate"};
  return {
      {"QuantizeLinear",
       2,
       3,
       QuantizeLinear,
       attributes,
       {.becomes = "add cast clip divide round", .takes_counts = true}},
      {"DequantizeLinear",
       2,
       3,
       DequantizeLinear,
       attributes,
       {.becomes = "cast multiply subtract", .takes_counts = true}},
      {"QuantizeLinear", 2, 3, QuantizeLinear, attributes, {.takes_counts = true}, kMicrosoft},
      {"DequantizeLinear", 2, 3, DequantizeLinear, attributes, {.takes_counts = true}, kMicrosoft},
      {"DynamicQuantizeLinear",
       1,
       1,
       DynamicQuantizeLinear,
       {},
       {.becomes = "add cast clip divide max maximum negative round subtract", .takes_counts = true}},
  };
}

}  // namespace hone
