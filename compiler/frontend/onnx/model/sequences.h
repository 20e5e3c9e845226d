// Sequences and optional values. Their contents are known when a model is imported: a sequence is a tuple of its
// elements, and an optional value that is present is the value itself.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_graph.h"
#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// Replaces the inputs that are sequences by inputs of their elements, named "x.0", "x.1" and so on: those that `shapes`
// names. An optional input is present if `shapes` names it or elements of it. Each input that is left out is a notice.
// Throws Error(kUsage) for elements that are not numbered without a gap.
void WriteOutSequenceInputs(OnnxGraph& graph, const std::map<std::string, Shape>& shapes,
                            std::vector<std::string>& notices);

// The optional value that holds nothing; one for the process.
const relay::ExprPtr& AbsentValue();

// The elements of a sequence. Throws Error(kBadData) if the input is none.
const std::vector<relay::ExprPtr>& ElementsOf(const OnnxNodeView& view, int input);

// Throws Error(kBadData) if one of a node's inputs is a sequence or absent. Null: one that is left out.
void RequireTensors(const std::vector<relay::ExprPtr>& inputs);

// Tells of maps, as ZipMap makes them, that they become the matrices of their numbers.
void TellMaps(const OnnxGraph& graph, std::vector<std::string>& notices);

// Adds the outputs that stand for one of the model's: a tensor itself, or the elements of a sequence, which are named
// "y.0", "y.1" and so on. Throws Error(kBadData) if there are none.
void AddOutput(const std::string& name, const relay::ExprPtr& value, std::vector<std::string>& names,
               std::vector<relay::ExprPtr>& outputs);

}  // namespace hone
