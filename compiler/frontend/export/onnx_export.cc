#include "compiler/frontend/export/onnx_export.h"

#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>
#include <onnx/onnx-ml.pb.h>

#include <vector>

#include "compiler/frontend/export/onnx_writer.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"

namespace hone {
namespace {

struct Output {
  relay::ExprPtr expr;
  std::string name;
};

std::vector<Output> ReserveOutputs(OnnxWriter& writer, const relay::ExprPtr& body) {
  std::vector<Output> outputs;
  const relay::Tuple* tuple = relay::AsTuple(body);
  if (tuple == nullptr) outputs.push_back({body, writer.NewName("output")});
  for (size_t i = 0; tuple != nullptr && i < tuple->fields.size(); ++i) {
    outputs.push_back({tuple->fields[i], writer.NewName(fmt::format("output{}", i))});
  }
  for (const Output& output : outputs) writer.Reserve(output.expr.get(), output.name);
  return outputs;
}

}  // namespace

std::string ExportOnnxBytes(const relay::IRModule& module) {
  const relay::IRModule typed = relay::InferType(module);
  OnnxWriter writer(typed);
  for (const auto& param : typed.main->params) writer.AddParam(*param);
  const std::vector<Output> outputs = ReserveOutputs(writer, typed.main->body);
  relay::PostOrderVisit(typed.main->body, [&](const relay::ExprPtr& expr) { ExportNode(writer, expr); });
  for (const Output& output : outputs) {
    // For an output that is an input, or a result that is two outputs.
    if (writer.NameOf(output.expr) != output.name) {
      writer.AddNode("Identity", {writer.NameOf(output.expr)}, output.name);
    }
    writer.AddOutput(output.name, *output.expr->type);
  }
  return writer.Finish();
}

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
