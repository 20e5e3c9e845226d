// A graph as text.
#pragma once

#include <string>

#include "compiler/frontend/onnx/onnx_graph.h"

namespace hone {

// The kinds of its nodes, sorted: graphs with the same failure mostly have the same.
std::string OperatorsOf(const OnnxGraph& graph);

// Every node with its operands, the shapes of inputs and initializers among them, and its attributes; then the outputs.
// One line.
std::string DescribeGraph(const OnnxGraph& graph);

}  // namespace hone
