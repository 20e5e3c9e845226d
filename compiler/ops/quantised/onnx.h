// Real numbers as small integers: real = (integer - zero point) * scale, as defined by ONNX's QuantizeLinear.
#pragma once

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// The quantisation of one tensor. Scale and zero point broadcast to it; a null zero point is 0.
struct Quantisation {
  relay::ExprPtr scale;
  relay::ExprPtr zero_point;
};

// Integers in a float32 tensor, and their range; low <= 0 <= high. If they came as 8-bit integers minus a zero point
// (null: 0), both are kept beside them.
struct WholeNumbers {
  relay::ExprPtr value;
  double low = 0;
  double high = 0;
  relay::ExprPtr integers = nullptr;
  relay::ExprPtr zero_point = nullptr;
};

// The axis of scales and zero points that have more than one value.
struct QuantisedAxis {
  int64_t axis = 0;   // of the quantised tensor
  int64_t block = 0;  // 0: a vector along the axis; else of the tensor's rank, one value per `block` elements
};

// Throws Error(kBadData) if the value of an input is known and an element is not finite, or not positive. Absent inputs
// pass. Scales of blocks may be negative: quantisers give the largest magnitude the longer side of the integers.
void RequireScales(const OnnxNodeView& view, const std::vector<int>& inputs, bool may_be_negative = false);
// Reads the node's inputs `scale` and `zero_point` (which may be absent) for a tensor of that shape. Throws
// Error(kBadData).
Quantisation ReadQuantisation(const OnnxNodeView& view, int scale, int zero_point, const Shape& shape,
                              const QuantisedAxis& axis = {});
// One input of scales or zero points, reshaped so that it broadcasts to the shape; null if it is absent.
relay::ExprPtr ReadPerAxis(const OnnxNodeView& view, int input, const Shape& shape, const QuantisedAxis& axis = {});

// The exact integer - zero point. Throws Error(kBadData) unless the integers have 8 bits, or 32 and no zero point.
// `narrow` is their type in ONNX, of integers; null if the dtype says it.
WholeNumbers Centred(const OnnxNodeView& view, const relay::ExprPtr& integers, const relay::ExprPtr& zero_point,
                     const NarrowType* narrow = nullptr);
relay::ExprPtr Dequantised(const OnnxNodeView& view, const relay::ExprPtr& integers, const Quantisation& by,
                           const NarrowType* narrow = nullptr);

// A node DequantizeLinear of a constant matrix of at most 8 bits with a scale for each block: the values of integers
// that stay packed. Null for any other node.
relay::ExprPtr DequantisedBlocks(const OnnxNodeView& view);

// The end of quantising a quotient real / scale: rounds half to even, adds the zero point and saturates. The dtype is
// uint8 or int8, or that of the narrow integers.
relay::ExprPtr Saturated(const OnnxNodeView& view, const relay::ExprPtr& quotient, const relay::ExprPtr& zero_point,
                         DType dtype, const NarrowType* narrow = nullptr);
relay::ExprPtr Quantised(const OnnxNodeView& view, const relay::ExprPtr& real, const Quantisation& by, DType dtype,
                         const NarrowType* narrow = nullptr);

// Quantises to uint8 with scale and zero point from the data's own range, which includes 0, as in
// DynamicQuantizeLinear.
struct DynamicallyQuantised {
  relay::ExprPtr integers;
  Quantisation by;
};
DynamicallyQuantised QuantisedDynamically(const OnnxNodeView& view, const relay::ExprPtr& x);

// The zero point's dtype, which is also the result's; uint8 if it is absent. Throws Error(kBadData) for dtypes other
// than uint8 and int8.
DType QuantisedDType(const OnnxNodeView& view, int zero_point);

relay::ExprPtr ScalarFloat(double value);
relay::ExprPtr ScalarInt32(int32_t value);

}  // namespace hone
