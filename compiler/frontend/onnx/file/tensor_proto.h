// Converts ONNX's TensorProto to Tensor. Shows protobuf, so only .cc files of this folder and of quantise/ include it.
#pragma once

#include <onnx/onnx-ml.pb.h>

#include <string>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/file/external_data.h"
#include "compiler/frontend/onnx/narrow_types.h"
#include "core/ceil_div.h"
#include "core/tensor.h"

namespace hone {

constexpr int kMaxOnnxRank = 16;  // of the tensors that hone reads

// The representation of one ONNX element type.
struct OnnxElementType {
  DType dtype;                         // dtype of the tensor
  int64_t bits;                        // of one element in raw data
  const NarrowType* narrow = nullptr;  // null if elements are stored as the type is

  bool is_converted() const { return narrow != nullptr; }
  // The size of raw data; the last byte may have room for more elements.
  int64_t RawBytes(int64_t elements) const { return CeilDiv(elements * bits, 8); }
};
// Throws Error(kBadData) naming `what` if hone has no such type.
OnnxElementType ElementTypeOf(int onnx_type, const std::string& what);

// The tensor's values; frees the message's own copy. Nothing is allocated before the data for it are known to exist.
// Narrow types become their stored dtypes, with a notice in `notices` for float16, bfloat16 and double. Throws
// Error(kBadData) naming `what`.
Tensor TakeTensor(onnx::TensorProto& proto, const std::string& what, const ExternalData* external,
                  std::vector<std::string>& notices);

}  // namespace hone
