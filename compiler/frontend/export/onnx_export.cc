#include "compiler/frontend/export/onnx_export.h"

#include <fmt/format.h>

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

}  // namespace hone
