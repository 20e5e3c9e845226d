#include "compiler/frontend/onnx/onnx_tensor.h"

#include <fmt/format.h>

#include <fstream>

#include "compiler/frontend/onnx/tensor_proto.h"
#include "core/error.h"

namespace hone {

Tensor ReadTensorProto(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(ExitCode::kNoInput, fmt::format("cannot read \"{}\"", path));
  onnx::TensorProto proto;
  if (!proto.ParseFromIstream(&in)) {
    throw Error(ExitCode::kBadData, fmt::format("\"{}\" is not an ONNX tensor (a serialized TensorProto)", path));
  }
  std::vector<std::string> notices;
  return TakeTensor(proto, fmt::format("\"{}\"", path), nullptr, notices);
}

}  // namespace hone
