// ONNX tensors in files of their own, as model repositories keep test inputs and outputs.
#pragma once

#include <string>
#include <string_view>

#include "core/tensor.h"

namespace hone {

// One serialized TensorProto (what a .pb file holds; `name` in messages). Throws Error(kBadData) for what is damaged or
// keeps its data elsewhere.
Tensor ParseTensorProto(std::string_view bytes, const std::string& name);

}  // namespace hone
