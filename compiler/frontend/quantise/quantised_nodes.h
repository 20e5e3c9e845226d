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
  // Reads `from` and adds to `into`; borrows all. Names that either has are taken.
  QuantisedNodes(const onnx::GraphProto& from, const QuantisedValues& values, onnx::GraphProto& into);

  // A pair for the value; returns the name of what it makes. `source` is the name of what is rounded: the value's own
  // unless a copy of it is.
  std::string AddPair(const std::string& value, const std::string& source);
  // The layer's node with a quantised weight and bias, which reads `input` and makes `output`.
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
