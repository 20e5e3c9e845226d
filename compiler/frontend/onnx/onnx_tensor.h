// ONNX tensors in files of their own, as model repositories keep test inputs and outputs.
#pragma once

#include <string>

#include "core/tensor.h"

namespace hone {

// Reads one serialized TensorProto (a .pb file). Throws Error: kNoInput when there is no such file, kBadData for what
// is damaged or keeps its data elsewhere.
Tensor ReadTensorProto(const std::string& path);

}  // namespace hone
