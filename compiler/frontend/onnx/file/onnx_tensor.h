// ONNX tensors in separate files, in which model repositories keep test inputs and outputs.
#pragma once

#include <string>
#include <string_view>

#include "core/tensor.h"

namespace hone {

// Parses one serialized TensorProto (a .pb file's content; `name` is for messages), of its own element type; float64
// has float32's precision. Throws Error(kBadData) if it is damaged or keeps its data elsewhere.
Tensor ParseTensorProto(std::string_view bytes, const std::string& name);

}  // namespace hone
