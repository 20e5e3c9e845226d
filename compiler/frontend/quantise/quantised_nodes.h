// Adds the nodes of quantised layers and values to an ONNX graph. For .cc files of this folder.
#pragma once

#include <onnx/onnx-ml.pb.h>

#include <set>
#include <string>
#include <vector>

#include "compiler/frontend/quantise/onnx_wiring.h"
#include "compiler/frontend/quantise/write_qdq.h"

namespace hone {

class QuantisedNodes {
 public:
  // Reads `from` and adds to `into`; borrows all arguments. Names in either graph are taken.
  QuantisedNodes(const onnx::GraphProto& from, const QuantisedValues& values, onnx::GraphProto& into);

  // Adds a pair for the value and returns the name of its result. `source` names the rounded value: the value itself,
  // or a copy of it.
  std::string AddPair(const std::string& value, const std::string& source);
  // Adds the layer's node with a quantised weight and bias; it reads `input` and makes `output`.
  void AddLayer(const QuantisableLayer& layer, const onnx::NodeProto& node, const std::string& input,
                const std::string& output);
  std::string NewName(const std::string& hint);
  const OnnxWiring& wiring() const { return wiring_; }

 private:
  std::string AddDequantised(const std::string& name, const Tensor& integers, const std::vector<float>& scales,
                             int64_t axis);
  onnx::NodeProto& AddNode(const std::string& op, const std::vector<std::string>& inputs, const std::string& output);
  std::string AddScalar(const std::string& name, const Tensor& value);

  const QuantisedValues& values_;
  onnx::GraphProto& into_;
  OnnxWiring wiring_;
  std::set<std::string> taken_;
};

}  // namespace hone
