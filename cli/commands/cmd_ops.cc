#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/command_line.h"
#include "compiler/frontend/onnx/onnx_operators.h"
#include "compiler/relay/op.h"
#include "compiler/schedules/schedule.h"
#include "core/error.h"
#include "core/machine/target.h"
#include "core/nth.h"
#include "core/text/spelling.h"
#include "core/workload.h"
#include "lab/text/print.h"
#include "lab/text/table.h"

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

// The operator's fusion pattern, in the words of docs/why/design.md.
std::string_view PatternName(relay::OpPattern pattern) {
  constexpr std::string_view kNames[] = {"elementwise", "broadcast", "injective", "reduction", "anchor", "opaque"};
  return kNames[static_cast<int>(pattern)];
}

std::string_view LayoutRuleName(relay::LayoutRule rule) {
  constexpr std::string_view kNames[] = {"any", "NCHW or NCHW{c}c", "row-major", "its schedule's"};
  return kNames[static_cast<int>(rule)];
}

// Schedules that compute the operator in some shape and with some element types, on a machine with every feature that
// schedules ask for.
std::vector<std::string> ScheduleNames(const OpDef& op) {
  constexpr std::string_view kShapes[] = {
      "nn.conv2d data=1x64x56x56 weight=64x64x3x3 padding=1x1x1x1", "nn.conv2d data=1x64x56x56 weight=64x64x1x1",
      "nn.conv2d data=1x64x56x56 weight=64x1x3x3 groups=64", "nn.dense data=64x64 weight=64x64",
      "nn.batch_matmul data=8x64x64 weight=8x64x64"};
  const MachineModel machine = MachineModelFor(Target::Parse("llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids"));
  constexpr DType kBFloat = DType::kBFloat16;
  const std::vector<ElementTypes> types = {
      {}, FloatTypes(kBFloat, kBFloat, DType::kFloat32), ByteTypes(DType::kFloat32)};
  std::vector<std::string> names;
  for (const Schedule* schedule : AllSchedules()) {
    const bool computes = std::any_of(std::begin(kShapes), std::end(kShapes), [&](std::string_view shape) {
      return std::any_of(types.begin(), types.end(), [&](const ElementTypes& of) {
        Workload workload = Workload::Parse(shape);
        workload.types = of;
        return workload.op == op.name && schedule->Fits(workload, machine);
      });
    });
    if (computes) names.emplace_back(schedule->name());
  }
  return names;
}

std::vector<std::string_view> Names(relay::DTypeSet types) {
  std::vector<std::string_view> names;
  for (const DType type : types.Types()) names.push_back(DTypeName(type));
  return names;
}

// The input that a rule depends on; empty if it depends on none.
std::string OtherName(const OpDef& op, const relay::ElementRule& rule) {
  return rule.input() < 0 ? "" : Nth(op.inputs, rule.input()).name;
}

std::string RuleText(const OpDef& op, const relay::ElementRule& rule) { return rule.ToText(OtherName(op, rule)); }

// Adds every type that the value may have and its constraint. It is "like" an input, or its types go "with" those of
// one.
void AddRule(const OpDef& op, const relay::ElementRule& rule, Json& to) {
  const bool is_like = rule.input() >= 0 && rule.cases().empty();
  to["types"] = Names(is_like ? Nth(op.inputs, rule.input()).types.types() : rule.types());
  if (is_like) to["like"] = OtherName(op, rule);
  for (const auto& [other, own] : rule.cases()) {
    to["with"].push_back({{"input", OtherName(op, rule)}, {"of", Names(other)}, {"types", Names(own)}});
  }
}

Json OpJson(const OpDef& op) {
  Json inputs = Json::array(), results = Json::array(), attrs = Json::array();
  for (const relay::InputSpec& input : op.inputs) {
    inputs.push_back({{"name", input.name}, {"description", input.description}});
    AddRule(op, input.types, inputs.back());
  }
  for (const relay::ResultSpec& result : op.results) {
    results.push_back({{"name", result.name}});
    AddRule(op, result.types, results.back());
  }
  for (const AttrSpec& attr : op.attrs) {
    attrs.push_back({{"name", attr.name},
                     {"kind", KindName(attr.kind)},
                     {"default", relay::ToText(attr.otherwise)},
                     {"description", attr.description}});
  }
  return {{"name", op.name},
          {"description", op.description},
          {"inputs", inputs},
          {"outputs", results},
          {"attributes", attrs},
          {"support_level", op.support_level},
          {"pattern", PatternName(op.pattern)},
          {"layout", LayoutRuleName(op.layout)},
          {"schedules", ScheduleNames(op)},
          {"onnx", OnnxOperatorsOf(op.name)}};
}

void PrintOp(const OpDef& op) {
  Print("{} (support level {})\n{}\n\n", op.name, op.support_level, op.description);
  Print("pattern: {}; layout: {}", PatternName(op.pattern), LayoutRuleName(op.layout));
  const std::vector<std::string> schedules = ScheduleNames(op);
  Print("{}{}\n\n",
        schedules.empty() ? "; code from the generic generator" : "; schedules: ", fmt::join(schedules, ", "));
  const std::vector<std::string_view> onnx = OnnxOperatorsOf(op.name);
  Print("of ONNX's: {}\n\n", onnx.empty() ? "none" : fmt::format("{}", fmt::join(onnx, ", ")));
  Table inputs({"input", "element types", "what it is"}), results({"output", "element types"});
  for (const relay::InputSpec& input : op.inputs)
    inputs.Add({input.name, RuleText(op, input.types), input.description});
  for (const relay::ResultSpec& result : op.results) results.Add({result.name, RuleText(op, result.types)});
  Print("{}\n{}", inputs.ToText(), results.ToText());
  if (op.attrs.empty()) return;
  Table attrs({"attribute", "kind", "default", "what it is"});
  for (const AttrSpec& attr : op.attrs) {
    attrs.Add({attr.name, std::string(KindName(attr.kind)), relay::ToText(attr.otherwise), attr.description});
  }
  Print("\n{}", attrs.ToText());
}

const OpDef& NamedOp(const std::string& name) {
  if (const OpDef* op = relay::FindOp(name)) return *op;
  std::vector<std::string> names, made_of;
  for (const OpDef* op : relay::AllOps()) {
    names.push_back(op->name);
    if (std::ranges::count(OnnxOperatorsOf(op->name), name) > 0) made_of.push_back(op->name);
  }
  if (!made_of.empty()) {
    throw Error(ExitCode::kNoInput, fmt::format("{} is an operator of ONNX, which becomes {}; `hone ops` takes these",
                                                name, fmt::join(made_of, ", ")));
  }
  throw Error(ExitCode::kNoInput,
              fmt::format("there is no operator {}{} (`hone ops` lists them)", name, DidYouMean(name, names)));
}

// Optional inputs are in brackets.
std::string InputNames(const OpDef& op) {
  std::vector<std::string> names;
  const size_t needed = op.inputs.size() - static_cast<size_t>(op.optional_inputs);
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    names.push_back(i < needed ? op.inputs[i].name : fmt::format("[{}]", op.inputs[i].name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void ListOps(bool json) {
  Json list = Json::array();
  Table table({"operator", "inputs", "> level", "what it does"});
  for (const OpDef* op : relay::AllOps()) {
    list.push_back(OpJson(*op));
    table.Add({op->name, InputNames(*op), fmt::format("{}", op->support_level), op->description});
  }
  if (json) {
    PrintJson({{"ops", list}});
  } else {
    Print("{}", table.ToText());
  }
}

}  // namespace

int OpsCommand(const Arguments& arguments) {
  CommandLine line(
      "hone ops",
      "The operator registry: description, inputs and outputs with their element types, attributes, support level, "
      "schedules.",
      "hone ops nn.conv2d");
  std::string name;
  line.Add("NAME", name, "one operator").Default("all of them");
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
