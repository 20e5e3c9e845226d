// The element types that nodes name by ONNX's numbers, and conversions to them.
#pragma once

#include <cstdint>

#include "compiler/frontend/onnx/onnx_node_view.h"
#include "core/tensor.h"

namespace hone {

// The dtype that stands for an ONNX element type here: float16, bfloat16 and float64 are computed as float32. Throws
// Error(kBadData) without the node's name for those that hone does not hold.
DType CastTarget(int64_t onnx_type);

// The expression converted to that dtype; itself when it has it.
relay::ExprPtr AsDType(const OnnxNodeView& view, const relay::ExprPtr& expr, DType dtype);

}  // namespace hone
