// Export to ONNX, for the zoo's networks.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "compiler/relay/expr.h"

namespace hone {

// The module as an ONNX model (opset 13, IR 7), with the bound parameters as initializers. Throws Error(kBadData)
// naming an operator that has no ONNX form.
std::string ExportOnnxBytes(const relay::IRModule& module);

// Notes on the nodes of an ONNX model, for viewers.

using OnnxNotes = std::map<std::string, std::string>;  // key to value

// The model with the notes as metadata of its nodes: NodeProto.metadata_props of IR version 10, which older readers
// skip. A node is identified by its name, or by its first output's name if it has none. Nothing else changes. Throws
// Error(kBadData) if the bytes are no model, or if no note belongs to one of its nodes.
std::string AnnotateOnnx(std::string_view model, const std::map<std::string, OnnxNotes>& notes_by_node);

}  // namespace hone
