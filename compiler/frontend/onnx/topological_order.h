// The order in which an ONNX graph's nodes can be converted.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_graph.h"

namespace hone {

// Indices into graph.nodes, producers before consumers; the file's own order where it already is one. Throws
// Error(kBadData) naming the node for a value that is made twice, an input that nothing makes, and a cycle. `is_given`
// says of a name whether a graph around this one makes it; none is when it is empty.
std::vector<int> TopologicalOrder(const OnnxGraph& graph,
                                  const std::function<bool(const std::string& name)>& is_given = nullptr);

// The names that the node reads: its inputs (never ""), and what the graphs within it take from around them.
std::vector<std::string> ReadBy(const OnnxNode& node);

}  // namespace hone
