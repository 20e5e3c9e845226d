// Notes on the nodes of an ONNX model, for viewers.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace hone {

using OnnxNotes = std::map<std::string, std::string>;  // key to value

// The model with the notes as metadata of its nodes (NodeProto.metadata_props of IR version 10, which readers of older
// versions pass over), by the node's name, or the name of its first output where it has none. Nothing else changes.
// Throws Error(kBadData) when the bytes are no model, or none of the notes is of one of its nodes.
std::string AnnotateOnnx(std::string_view model, const std::map<std::string, OnnxNotes>& notes_by_node);

}  // namespace hone
