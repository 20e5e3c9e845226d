// An ONNX model prepared for quantisation: the file's own graph with all its names.
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

// The reader of the quantised model. Other readers of a file need opset 13, which introduced scales per channel; hone
// reads them in a model of any opset.
enum class QuantisedFor : uint8_t { kFile, kHone };

// Every node has a name, constants are initializers, and weights from other files are read. Batch normalisations behind
// convolutions are folded into these. The graph computes the same as the model's. Immutable; copies share the graph.
class FloatModel {
 public:
  // Throws Error: kNoInput if there is no such file; kBadData if it is no ONNX model, is quantised already, or holds 2
  // GiB or more. kBadData also for an opset older than `reader` takes.
  static FloatModel Read(const std::string& path, QuantisedFor reader = QuantisedFor::kFile);
  // Reads the model from bytes, with the same errors; `name` is for messages. Weights in other files are refused.
  static FloatModel FromBytes(std::string_view bytes, const std::string& name,
                              QuantisedFor reader = QuantisedFor::kFile);

  const onnx::ModelProto& proto() const { return *proto_; }
  const onnx::GraphProto& graph() const;
  // The model's bytes with other outputs, in that order; they may be any of its values. For an importer that does not
  // need the outputs' types.
  std::string WithOutputs(const std::vector<std::string>& values) const;
  std::vector<std::string> outputs() const;
  // The paths of the other files that were read.
  const std::vector<std::string>& external_files() const { return external_files_; }

 private:
  explicit FloatModel(std::shared_ptr<const onnx::ModelProto> proto) : proto_(std::move(proto)) {}
  std::shared_ptr<const onnx::ModelProto> proto_;
  std::vector<std::string> external_files_;
};

// The bytes of any model with other outputs, as by FloatModel::WithOutputs.
std::string OnnxWithOutputs(std::string_view bytes, const std::vector<std::string>& values);

}  // namespace hone
