// Real numbers as small integers: real = (integer - zero point) * scale, as ONNX's QuantizeLinear has it.
#pragma once

#include "compiler/frontend/onnx/cast_target.h"
#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// How one tensor is quantised. Scale and zero point broadcast to it; the zero point may be null, which is 0.
struct Quantisation {
  relay::ExprPtr scale;
  relay::ExprPtr zero_point;
};

// Whole numbers in a float32 tensor, and what they lie between. low <= 0 <= high. Those that came as integers of 8 bits
// less a zero point (null: 0) have both beside them.
struct WholeNumbers {
  relay::ExprPtr value;
  double low = 0;
  double high = 0;
  relay::ExprPtr integers = nullptr;
  relay::ExprPtr zero_point = nullptr;
};

// Where scales and zero points of more than one value lie.
struct QuantisedAxis {
  int64_t axis = 0;   // of the quantised tensor
  int64_t block = 0;  // 0: a vector along the axis; else of the tensor's rank, each value for so many elements
};

// Throws Error(kBadData) where one of the inputs is known and not all of it is positive and finite. Absent ones are
// right.
void RequireScales(const OnnxNodeView& view, const std::vector<int>& inputs);
// The node's inputs `scale` and `zero_point` (which may be absent) for a tensor of that shape. Throws Error(kBadData).
Quantisation ReadQuantisation(const OnnxNodeView& view, int scale, int zero_point, const Shape& shape,
                              const QuantisedAxis& axis = {});
// One input of scales or zero points, reshaped so that it broadcasts to the shape; null when it is absent.
relay::ExprPtr ReadPerAxis(const OnnxNodeView& view, int input, const Shape& shape, const QuantisedAxis& axis = {});

// integer - zero point, exactly. Throws Error(kBadData) unless the integers have 8 bits, or 32 and no zero point.
WholeNumbers Centred(const OnnxNodeView& view, const relay::ExprPtr& integers, const relay::ExprPtr& zero_point);
relay::ExprPtr Dequantised(const OnnxNodeView& view, const relay::ExprPtr& integers, const Quantisation& by);

// Rounds to the nearest whole number (of two the even one), adds the zero point and saturates: what is left of
// quantising a quotient real / scale. The dtype is uint8 or int8.
relay::ExprPtr Saturated(const OnnxNodeView& view, const relay::ExprPtr& quotient, const relay::ExprPtr& zero_point,
                         DType dtype);
relay::ExprPtr Quantised(const OnnxNodeView& view, const relay::ExprPtr& real, const Quantisation& by, DType dtype);

// To uint8 with the scale and zero point of the data's own range, which reaches to 0 at least: as
// DynamicQuantizeLinear.
struct DynamicallyQuantised {
  relay::ExprPtr integers;
  Quantisation by;
};
DynamicallyQuantised QuantisedDynamically(const OnnxNodeView& view, const relay::ExprPtr& x);

// The zero point's dtype, which is the result's: uint8 where it is absent. Throws Error(kBadData) for others than uint8
// and int8.
DType QuantisedDType(const OnnxNodeView& view, int zero_point);

relay::ExprPtr ScalarFloat(double value);

}  // namespace hone
