// The shapes of a model's inputs, from the model's free dimensions and the user's values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_graph.h"
#include "compiler/frontend/onnx/onnx_import.h"

namespace hone {

// One shape per input of the graph, in its order. A given shape holds. Elsewhere a free dimension takes the number
// given for its symbol, or the number that a given shape has for the symbol in another input. A first dimension that
// remains free is 1, with a notice; equal symbols are equal numbers then too. Throws Error(kUsage) for an input or a
// symbol that the model lacks, and for two numbers given for one symbol (naming both). It throws also for any other
// dimension that remains free, with the option that would fix it.
std::vector<Shape> InputShapes(const OnnxGraph& graph, const OnnxImportOptions& options,
                               std::vector<std::string>& notices);

}  // namespace hone
