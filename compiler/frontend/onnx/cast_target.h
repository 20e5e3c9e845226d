// Conversions to the element types that nodes name by ONNX's numbers.
#pragma once

#include <cstdint>

#include "compiler/frontend/onnx/onnx_node_view.h"
#include "core/tensor.h"

namespace hone {

// The dtype that represents an ONNX element type: float16, bfloat16 and float64 are computed as float32. Throws
// Error(kBadData) without the node's name for types that hone does not support.
DType CastTarget(int64_t onnx_type);

// The expression converted to that dtype; the expression itself if it has it.
relay::ExprPtr AsDType(const OnnxNodeView& view, const relay::ExprPtr& expr, DType dtype);

}  // namespace hone
