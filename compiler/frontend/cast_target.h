// The element types that nodes name by ONNX's numbers.
#pragma once

#include <cstdint>

#include "core/tensor.h"

namespace hone {

// The dtype that stands for an ONNX element type here: float16, bfloat16 and float64 are computed as float32. Throws
// Error(kBadData) without the node's name for those that hone does not hold.
DType CastTarget(int64_t onnx_type);

}  // namespace hone
