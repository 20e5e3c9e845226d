#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "cli/printing/table.h"
#include "compiler/relay/op.h"
#include "core/error.h"
#include "core/spelling.h"

namespace hone {
namespace {

using relay::AttrKind;
using relay::AttrSpec;
using relay::OpDef;

std::string_view KindName(AttrKind kind) {
  switch (kind) {
    case AttrKind::kBool:
      return "bool";
    case AttrKind::kInt:
      return "int";
    case AttrKind::kFloat:
      return "float";
    case AttrKind::kString:
      return "string";
    case AttrKind::kInts:
      return "ints";
  }
  return "";
}

Json OpJson(const OpDef& op) {
  Json inputs = Json::array(), attrs = Json::array();
  for (const relay::InputSpec& input : op.inputs)
    inputs.push_back({{"name", input.name}, {"description", input.description}});
  for (const AttrSpec& attr : op.attrs) {
    attrs.push_back({{"name", attr.name},
                     {"kind", KindName(attr.kind)},
                     {"default", relay::ToText(attr.otherwise)},
                     {"description", attr.description}});
  }
  return {{"name", op.name},
          {"description", op.description},
          {"inputs", inputs},
          {"attributes", attrs},
          {"support_level", op.support_level}};
}

void PrintOp(const OpDef& op) {
  Print("{} (support level {})\n{}\n\n", op.name, op.support_level, op.description);
  Table inputs({"input", "what it is"});
  for (const relay::InputSpec& input : op.inputs) inputs.Add({input.name, input.description});
  Print("{}", inputs.ToText());
  if (op.attrs.empty()) return;
  Table attrs({"attribute", "kind", "default", "what it is"});
  for (const AttrSpec& attr : op.attrs) {
    attrs.Add({attr.name, std::string(KindName(attr.kind)), relay::ToText(attr.otherwise), attr.description});
  }
  Print("\n{}", attrs.ToText());
}

const OpDef& NamedOp(const std::string& name) {
  if (const OpDef* op = relay::FindOp(name)) return *op;
  std::vector<std::string> names;
  for (const OpDef* op : relay::AllOps()) names.push_back(op->name);
  throw Error(ExitCode::kNoInput,
              fmt::format("there is no operator {}{} (`hone ops` lists them)", name, DidYouMean(name, names)));
}

void ListOps(bool json) {
  Json list = Json::array();
  Table table({"operator", "> level", "what it does"});
  for (const OpDef* op : relay::AllOps()) {
    list.push_back(OpJson(*op));
    table.Add({op->name, fmt::format("{}", op->support_level), op->description});
  }
  if (json) {
    PrintJson({{"ops", list}});
  } else {
    Print("{}", table.ToText());
  }
}

}  // namespace

int OpsCommand(const Arguments& arguments) {
  CommandLine line("hone ops", "The operator registry: description, inputs, attributes, support level.");
  std::string name;
  line.Add("NAME", name, "one operator; none lists them");
  if (!line.Parse(arguments)) return 0;
  if (name.empty()) {
    ListOps(line.json());
    line.Next("hone ops nn.conv2d");
    return 0;
  }
  const OpDef& op = NamedOp(name);
  if (line.json()) {
    PrintJson(OpJson(op));
  } else {
    PrintOp(op);
  }
  line.Next("hone inspect MODEL --text");
  return 0;
}

}  // namespace hone
