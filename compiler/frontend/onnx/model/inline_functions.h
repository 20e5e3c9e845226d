// Functions that a model defines: their nodes replace the nodes that call them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/frontend/onnx/onnx_graph.h"

namespace hone {

struct OnnxFunction {
  std::string domain;
  std::string name;
  std::string overload;  // distinguishes functions of one name; mostly ""
  int64_t opset = 0;     // opset of its nodes
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::pair<std::string, OnnxAttribute>> defaults;  // defaults of attributes that a call may omit
  std::vector<OnnxNode> nodes;  // an attribute with a reference takes its value from the call
};

// Inlines every call, also in graphs within nodes. The function's values and nodes get the call's name as prefix, and
// the nodes keep the function's opset. A function takes precedence over an operator of its name. Throws Error(kBadData)
// naming the node for a function that calls itself, and for more inputs or outputs than it has. It throws also if the
// result has more than 100,000 nodes or 256 MiB, or if calls are nested more than 32 deep.
void InlineFunctions(OnnxGraph& graph, const std::vector<OnnxFunction>& functions);

}  // namespace hone
