// An ONNX model as it is made ready to be quantised: the file's own graph, names and all.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace onnx {
class GraphProto;
class ModelProto;
}  // namespace onnx

namespace hone {

// Who reads the quantised model. A file that others read needs opset 13, where scales per channel begin; hone reads
// them in a model of any opset.
enum class QuantisedFor : uint8_t { kFile, kHone };

// Every node has a name, constants are initializers, weights in other files were read, and batch normalisations behind
// convolutions are part of these. Computes what the model computes. Immutable; copies share the graph.
class FloatModel {
 public:
  // Throws Error: kNoInput when there is no such file; kBadData for what is no ONNX model, has an opset older than
  // `reader` takes, is quantised already, or holds 2 GiB or more.
  static FloatModel Read(const std::string& path, QuantisedFor reader = QuantisedFor::kFile);
  // The same from bytes; `name` is for messages. Weights in other files are refused.
  static FloatModel FromBytes(std::string_view bytes, const std::string& name,
                              QuantisedFor reader = QuantisedFor::kFile);

  const onnx::ModelProto& proto() const { return *proto_; }
  const onnx::GraphProto& graph() const;
  // The model's bytes with other outputs, in that order: any values that it makes. For an importer that asks for no
  // types of outputs.
  std::string WithOutputs(const std::vector<std::string>& values) const;
  std::vector<std::string> outputs() const;
  // The paths of the files beside the model's that were read.
  const std::vector<std::string>& external_files() const { return external_files_; }

 private:
  explicit FloatModel(std::shared_ptr<const onnx::ModelProto> proto) : proto_(std::move(proto)) {}
  std::shared_ptr<const onnx::ModelProto> proto_;
  std::vector<std::string> external_files_;
};

// The bytes of any model with other outputs, as FloatModel::WithOutputs.
std::string OnnxWithOutputs(std::string_view bytes, const std::vector<std::string>& values);

}  // namespace hone
