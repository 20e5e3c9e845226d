// The shapes of a model's inputs, from what the model leaves free and what the user gives.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_graph.h"
#include "compiler/frontend/onnx/onnx_import.h"

namespace hone {

// One shape per input of the graph, in its order. A given shape stands; elsewhere a free dimension takes the number
// given for its symbol, or the one that a given shape puts where the symbol stands in another input. What is left free
// is 1 as the first dimension, with a notice; equal symbols are equal numbers then, too. Throws Error(kUsage) for an
// input or a symbol that the model lacks, for two numbers given for one symbol (both are named), and for any other
// dimension that is left free, with the option that would fix it.
std::vector<Shape> InputShapes(const OnnxGraph& graph, const OnnxImportOptions& options,
                               std::vector<std::string>& notices);

}  // namespace hone
