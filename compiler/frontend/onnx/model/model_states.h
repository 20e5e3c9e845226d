// Outputs of a model that are inputs of its next run: caches of keys and values, the hidden values of recurrent layers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/frontend/onnx/onnx_graph.h"

namespace hone {

// The names of an input and of the output that it is in the next run.
using ModelState = std::pair<std::string, std::string>;

// Those that operators and names tell, in the order of the inputs:
//   - a cache of an attention or a TensorScatter, from an input to an output of the model;
//   - past_key_values.0.key and present.0.key, past_0 and present_0, and their like;
//   - h0 and hn, or h_in and h_out, of a model with recurrent layers.
// Both have one element type and one rank.
std::vector<ModelState> FindStates(const OnnxGraph& graph);

// The states that the option names: nothing, "none", "auto", or IN=OUT, each of which may also be beside "auto". Throws
// Error(kUsage) for a name that the model lacks, and for one that is given twice.
std::vector<ModelState> ChosenStates(const OnnxGraph& graph, const std::vector<std::string>& given);

// The axis along which a node appends to each state what the model then keeps as it is; -1 if the graph does otherwise.
// A branch of an If may be that node.
int64_t AppendedAxis(const OnnxGraph& graph, const ModelState& state);

// Branches that give a constant without elements for a state keep the state instead. So optimum's merged decoders say
// that a later step leaves the encoder's keys and values to the caller.
void KeepEmptyStates(OnnxGraph& graph, const std::vector<ModelState>& states);

}  // namespace hone
