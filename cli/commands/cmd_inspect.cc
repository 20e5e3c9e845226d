#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/machine_options.h"
#include "cli/model_options.h"
#include "compiler/build.h"
#include "compiler/passes/general_passes.h"
#include "compiler/passes/passes.h"
#include "compiler/relay/printer.h"
#include "compiler/relay/visitor.h"
#include "compiler/schedules/schedule.h"
#include "core/error.h"
#include "core/text/printable.h"
#include "lab/files/safetensors.h"
#include "lab/files/write_file.h"
#include "lab/machine/machine.h"
#include "lab/model/model.h"
#include "lab/model/model_summary.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/table.h"

namespace hone {
namespace {

struct InspectOptions {
  ModelOptions model;
  MachineOptions machine;
  bool params = false, text = false, untyped = false, optimized = false, walk = false, tasks = false;
  std::string as = "module", save_params;
};

Json TypesJson(const std::vector<NamedType>& types) {
  Json list = Json::array();
  for (const NamedType& t : types) list.push_back({{"name", t.name}, {"type", t.type}});
  return list;
}

void PrintSummaryJson(const Model& model, const ModelSummary& summary, bool params) {
  Json json = {{"model", model.name},
               {"inputs", TypesJson(summary.inputs)},
               {"outputs", TypesJson(summary.outputs)},
               {"ops", summary.ops},
               {"parameters", summary.parameter_elements},
               {"parameter_bytes", summary.parameter_bytes},
               {"gflop", summary.flops / 1e9}};
  if (params) json["params"] = TypesJson(summary.parameters);
  PrintJson(json);
}

int ShowSummary(const Model& model, bool params, bool json) {
  const ModelSummary summary = Summarize(InlineFunctions(model.typed));
  if (json) {
    PrintSummaryJson(model, summary, params);
    return 0;
  }
  for (const NamedType& t : summary.inputs) Print("input   {}  {}\n", t.name, t.type);
  for (const NamedType& t : summary.outputs) Print("output  {}  {}\n", t.name, t.type);
  Print("{} ({}), {}\n\n", Counted(summary.parameter_elements, "parameter"), BytesText(summary.parameter_bytes),
        FlopText(summary.flops));
  Table table({"operator", "> calls"});
  for (const auto& [name, calls] : summary.ops) table.Add({name, fmt::format("{}", calls)});
  Print("{}", table.ToText());
  if (params) Print("\n");
  for (size_t i = 0; params && i < summary.parameters.size(); ++i) {
    Print("{}  {}\n", summary.parameters[i].name, summary.parameters[i].type);
  }
  return 0;
}

int ShowText(const Model& model, const InspectOptions& options, bool json) {
  relay::IRModule module = options.untyped ? model.untyped : model.typed;
  if (options.optimized) {
    module = RunPasses(model.typed, {ResolveMachine(options.machine).context});
  }
  if (!options.save_params.empty()) {
    WriteFileAtomically(options.save_params, SafetensorsBytes(relay::NamedValues(module)));
  }
  const std::string text = relay::ToText(module, {.types = !options.untyped, .as = options.as});
  if (json) {
    PrintJson({{"model", model.name}, {"text", text}});
  } else {
    Print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  }
  return 0;
}

int ShowWalk(const Model& model, bool json) {
  Json nodes = Json::array();
  relay::PostOrderVisit(model.typed.main, [&](const relay::ExprPtr& expr) {
    const std::string name(relay::ExprKindName(expr->kind));
    if (json) {
      nodes.push_back(name);
    } else {
      Print("{}\n", name);
    }
  });
  if (json) PrintJson({{"model", model.name}, {"walk", nodes}});
  return 0;
}

Json SpacesJson(const Workload& workload, const BuildContext& context) {
  const MachineModel machine = context.machine();
  Json spaces = Json::object();
  for (const Schedule* schedule : SchedulesFor(workload, machine)) {
    if (context.exact_math && !schedule->exact()) continue;
    spaces[std::string(schedule->name())] = schedule->Space(workload, machine).size();
  }
  return spaces;
}

int ShowTasks(const Model& model, const InspectOptions& options, bool json) {
  const BuildContext context = ResolveMachine(options.machine).context;
  Json list = Json::array();
  Table table({"> uses", "> work", "configs per schedule", "workload"});
  for (const Task& task : ExtractTasks(model.typed, context)) {
    const Json spaces = SpacesJson(task.workload, context);
    list.push_back({{"workload", task.workload.ToText()},
                    {"uses", task.uses},
                    {"gflop", task.workload.Flops() / 1e9},
                    {"configs", spaces},
                    {"nodes", task.nodes}});
    std::string configs;
    for (const auto& [name, size] : spaces.items())
      configs += fmt::format("{}{} {}", configs.empty() ? "" : ", ", name, size.dump());
    table.Add({fmt::format("{}", task.uses), FlopText(task.workload.Flops()), configs, task.workload.ToText()});
  }
  if (json) {
    PrintJson({{"model", model.name}, {"tasks", list}});
  } else {
    Print("{}", table.ToText());
  }
  return 0;
}

int Show(const InspectOptions& options, bool json) {
  const Model model = LoadModel(options.model);
  if (options.text) return ShowText(model, options, json);
  if (options.walk) return ShowWalk(model, json);
  if (options.tasks) return ShowTasks(model, options, json);
  return ShowSummary(model, options.params, json);
}

}  // namespace

int InspectCommand(const Arguments& arguments) {
  CommandLine line("hone inspect", "What is in a model: by default inputs, outputs, operators, parameters and GFLOP.",
                   "hone inspect model.onnx --tasks");
  line.First({"--params", "--text", "--walk", "--tasks", "--target"});
  InspectOptions options;
  AddModelOptions(line, options.model, "--params-file");
  AddContextOptions(line, options.machine);
  AddPassOptions(line, options.machine);
  line.AddFlag("--params", options.params, "print every parameter with its type");
  const Option text = line.AddFlag("--text", options.text, "print the module in Relay's text form");
  line.Add("--as", options.as, "with --text, which part to print")
      .In(OptionGroup::kOutput)
      .OneOf({"module", "fn", "expr"})
      .Needs(text);
  const Option untyped = line.AddFlag("--untyped", options.untyped, "with --text, print it before type inference")
                             .In(OptionGroup::kOutput)
                             .Needs(text);
  const Option optimized =
      line.AddFlag("--optimized", options.optimized, "with --text, print it after all passes for --target")
          .In(OptionGroup::kOutput)
          .Needs(text)
          .Excludes(untyped);
  line.Add("--save-params", options.save_params, "with --text, .safetensors file that gets the omitted values")
      .Writes()
      .Needs(text)
      .Excludes(optimized);
  line.AddFlag("--walk", options.walk, "print one node type per line, in post order").Excludes(text);
  line.AddFlag("--tasks", options.tasks, "print the tuning tasks: uses, GFLOP, configs per schedule").Excludes(text);
  if (!line.Parse(arguments)) return 0;
  const int code = Show(options, line.json());
  line.Next("hone tune" + line.Given(kKernelTopics));
  return code;
}

}  // namespace hone
