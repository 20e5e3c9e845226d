// The shapes of a model's inputs, from the model's free dimensions and the user's values.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/frontend/onnx/model/model_states.h"
#include "compiler/frontend/onnx/onnx_graph.h"
#include "compiler/frontend/onnx/onnx_import.h"

namespace hone {

// A free dimension whose extent each run chooses.
struct RangedDim {
  std::string name;
  DimRange range;
  std::vector<std::pair<size_t, size_t>> places;  // input and axis, in order
};

// The name by which options set a free dimension: its own or INPUT_AXIS. Empty if the dimension is not free.
std::string FreeDimName(const OnnxInput& input, size_t axis);

struct ResolvedInputs {
  std::vector<Shape> shapes;  // one per input of the graph, in its order; a ranged axis has its greatest extent
  std::vector<RangedDim> ranged;
};

// A given shape holds. Elsewhere a free dimension takes the number or the range given for its name. A number may also
// come from a shape given for another input with this name, or from an operator (FixedDims). Of those that remain free
// a batch is 1, with a notice. It is the one that is called so, or else a first dimension that is no later one of
// another input. Any other dimension takes the range of options.other_dims, with a notice; a sum such as "past + seq"
// takes that of its parts. Equal names are one dimension. Throws Error(kUsage) for an input or a name that the model
// lacks, and for two numbers given for one name (naming both). A ranged axis of a state's input, by `states`, begins at
// 0, as does one that is called past.
ResolvedInputs ResolveInputs(const OnnxGraph& graph, const OnnxImportOptions& options,
                             const std::vector<ModelState>& states, std::vector<std::string>& notices);

}  // namespace hone
