// Notes on the nodes of an ONNX model, for viewers.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace hone {

using OnnxNotes = std::map<std::string, std::string>;  // key to value

// The model with the notes as metadata of its nodes: NodeProto.metadata_props of IR version 10, which older readers
// skip. A node is identified by its name, or by its first output's name if it has none. Nothing else changes. Throws
// Error(kBadData) if the bytes are no model, or if no note belongs to one of its nodes.
std::string AnnotateOnnx(std::string_view model, const std::map<std::string, OnnxNotes>& notes_by_node);

}  // namespace hone
