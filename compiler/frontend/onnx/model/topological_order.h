// An order in which an ONNX graph's nodes can be converted.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_graph.h"

namespace hone {

// Indices into graph.nodes, producers before consumers; the file's own order if that is valid. Throws Error(kBadData)
// naming the node for a value that is made twice, an input that no node makes, and a cycle. `is_given` tells whether an
// enclosing graph makes a name; if it is null, none does.
std::vector<int> TopologicalOrder(const OnnxGraph& graph,
                                  const std::function<bool(const std::string& name)>& is_given = nullptr);

// The names that the node reads: its inputs (never ""), and values from outside that the graphs within it read.
std::vector<std::string> ReadBy(const OnnxNode& node);

}  // namespace hone
