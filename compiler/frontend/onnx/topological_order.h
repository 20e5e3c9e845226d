// The order in which an ONNX graph's nodes can be converted.
#pragma once

#include <vector>

#include "compiler/frontend/onnx/onnx_graph.h"

namespace hone {

// Indices into graph.nodes, producers before consumers; the file's own order where it already is one. Throws
// Error(kBadData) naming the node for a value that is made twice, an input that nothing makes, and a cycle.
std::vector<int> TopologicalOrder(const OnnxGraph& graph);

}  // namespace hone
