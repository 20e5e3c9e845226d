#include "compiler/frontend/onnx/file/onnx_tensor.h"

#include <fmt/format.h>

#include <climits>

#include "compiler/frontend/onnx/file/tensor_proto.h"
#include "core/error.h"

namespace hone {

Tensor ParseTensorProto(std::string_view bytes, const std::string& name) {
  onnx::TensorProto proto;
  if (bytes.size() > INT_MAX || !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    throw Error(ExitCode::kBadData, fmt::format("\"{}\" is not an ONNX tensor (a serialized TensorProto)", name));
  }
  std::vector<std::string> notices;
  const NarrowType* narrow = FindNarrowType(proto.data_type());
  const Tensor tensor = TakeTensor(proto, fmt::format("\"{}\"", name), nullptr, notices);
  return narrow == nullptr ? tensor : tensor.As(narrow->declared);
}

}  // namespace hone
