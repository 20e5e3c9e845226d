// Functions that a model defines: their nodes in the places of the nodes that call them.
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
  std::string overload;  // tells functions of one name apart; mostly ""
  int64_t opset = 0;     // of its nodes
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::pair<std::string, OnnxAttribute>> defaults;  // of attributes that a call may leave out
  std::vector<OnnxNode> nodes;  // an attribute with a reference takes its value from the call
};

// Writes every call out, also in graphs within nodes: the function's values and nodes get the call's name before their
// own, and its nodes its opset. A function goes before an operator of its name. Throws Error(kBadData) naming the node
// for a function that calls itself, for more inputs or outputs than it has, and when more than 100,000 nodes
// or 256 MiB come out or calls lie more than 32 deep.
void InlineFunctions(OnnxGraph& graph, const std::vector<OnnxFunction>& functions);

}  // namespace hone
