// Producers and readers of the values of an ONNX graph, and its constants. For .cc files of this folder.
#pragma once

#include <onnx/onnx-ml.pb.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace hone {

// Borrows the graph, which must not change while this object exists.
class OnnxWiring {
 public:
  explicit OnnxWiring(const onnx::GraphProto& graph);

  // The node that makes the value; null for inputs and initializers.
  const onnx::NodeProto* MakerOf(const std::string& value) const;
  // The readers in the order of the nodes; a node that reads the value twice appears twice.
  const std::vector<const onnx::NodeProto*>& ReadersOf(const std::string& value) const;
  const onnx::TensorProto* WeightOf(const std::string& value) const;
  // Whether the value is an output of the model, or read by a graph within a node, which is not among the readers.
  bool IsKept(const std::string& value) const { return kept_.count(value) > 0; }
  // Whether a node makes the value or it is an input.
  bool IsComputed(const std::string& value) const { return !value.empty() && WeightOf(value) == nullptr; }

 private:
  void KeepReadsOf(const onnx::GraphProto& body);

  std::map<std::string, const onnx::NodeProto*> makers_;
  std::map<std::string, std::vector<const onnx::NodeProto*>> readers_;
  std::map<std::string, const onnx::TensorProto*> weights_;
  std::set<std::string> kept_;
};

// Input i's name; empty if it is omitted.
std::string OnnxInputName(const onnx::NodeProto& node, int i);
double NodeFloat(const onnx::NodeProto& node, const std::string& name, double otherwise);
int64_t NodeInt(const onnx::NodeProto& node, const std::string& name, int64_t otherwise);

// The tensor's values; undefined unless it holds finite float32 data itself.
Tensor FloatValues(const onnx::TensorProto& proto);
// Adds an initializer of float32, int32, int8 or uint8.
void AddWeight(onnx::GraphProto& graph, const std::string& name, const Tensor& value);

}  // namespace hone
