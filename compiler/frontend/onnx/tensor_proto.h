// ONNX's TensorProto to Tensor. It shows protobuf: included by .cc files of this folder and of quantise/.
#pragma once

#include <onnx/onnx-ml.pb.h>

#include <string>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/external_data.h"
#include "core/tensor.h"

namespace hone {

// How one ONNX element type is read.
struct OnnxElementType {
  DType dtype;            // that the tensor gets
  int64_t bytes;          // of one element in raw data
  std::string_view note;  // ONNX's name when the values are converted, else empty
};
// Throws Error(kBadData) naming `what` when hone has no such type.
OnnxElementType ElementTypeOf(int onnx_type, const std::string& what);

// The tensor's values; frees the message's own copy of them. Nothing is allocated before the bytes that fill it were
// seen to be there. float16, bfloat16 and double become float32 and say so in `notices`. Throws Error(kBadData) naming
// `what`.
Tensor TakeTensor(onnx::TensorProto& proto, const std::string& what, const ExternalData* external,
                  std::vector<std::string>& notices);

}  // namespace hone
