// A graph in words.
#pragma once

#include <string>

#include "compiler/frontend/onnx/onnx_graph.h"

namespace hone {

// The kinds of its nodes, sorted: graphs that fail alike mostly have the same.
std::string OperatorsOf(const OnnxGraph& graph);

// Every node with its operands, their shapes where they are inputs or initializers, and its attributes; then the
// outputs. One line.
std::string DescribeGraph(const OnnxGraph& graph);

}  // namespace hone
