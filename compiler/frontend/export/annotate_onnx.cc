#include "compiler/frontend/export/annotate_onnx.h"

#include <google/protobuf/unknown_field_set.h>
#include <onnx/onnx-ml.pb.h>

#include "core/error.h"

namespace hone {
namespace {

// NodeProto.metadata_props, which the onnx.proto used for the build may be too old to define.
constexpr int kMetadataProps = 9;

void Note(const OnnxNotes& notes, onnx::NodeProto& node) {
  google::protobuf::UnknownFieldSet* fields = node.GetReflection()->MutableUnknownFields(&node);
  for (const auto& [key, value] : notes) {
    onnx::StringStringEntryProto entry;
    entry.set_key(key);
    entry.set_value(value);
    fields->AddLengthDelimited(kMetadataProps, entry.SerializeAsString());
  }
}

}  // namespace

std::string AnnotateOnnx(std::string_view model, const std::map<std::string, OnnxNotes>& notes_by_node) {
  onnx::ModelProto proto;
  if (!proto.ParseFromArray(model.data(), static_cast<int>(model.size())) || !proto.has_graph())
    throw Error(ExitCode::kBadData, "what is to be annotated is no ONNX model; --model FILE names another");
  bool any = false;
  for (onnx::NodeProto& node : *proto.mutable_graph()->mutable_node()) {
    std::string name = node.name();
    if (name.empty() && node.output_size() > 0) name = node.output(0);
    const auto notes = notes_by_node.find(name);
    if (notes == notes_by_node.end()) continue;
    Note(notes->second, node);
    any = true;
  }
  if (!any)
    throw Error(ExitCode::kBadData,
                "the package was built of another model than is to be annotated: no node has a name of its calls");
  return proto.SerializeAsString();
}

}  // namespace hone
