#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands/log/log_commands.h"
#include "cli/machine_options.h"
#include "cli/model_options.h"
#include "cli/record_options.h"
#include "compiler/build.h"
#include "core/error.h"
#include "core/json/serialize.h"
#include "lab/files/read_file.h"
#include "lab/machine/machine.h"
#include "lab/model/model.h"
#include "lab/records/records.h"
#include "lab/records/why_record.h"
#include "lab/text/print.h"
#include "tuner/record_config_source.h"

namespace hone {
namespace {

struct WhyOptions {
  std::string what;
  ModelOptions model;
  MachineOptions machine;
  RecordOptions records;
  int64_t limit = 20;
};

void AddWhyOptions(CommandLine& line, WhyOptions& options) {
  line.Add("WORKLOAD|MODEL[:LAYER]", options.what, "a workload's text in quotes, or a model and a layer").Required();
  AddZooOptions(line, options.model);
  AddShapeOptions(line, options.model);
  AddContextOptions(line, options.machine);
  AddRecordOptions(line, options.records);
  line.Add("--limit", options.limit, "most records to print of each workload; 0 prints all")
      .In(OptionGroup::kRecords)
      .Between(0, int64_t{1} << 40)
      .ShowDefault();
}

bool IsWorkload(const std::string& text) { return text.starts_with("nn.") && text.find(' ') != std::string::npos; }

bool IsOf(const Task& task, const std::string& layer) {
  if (task.workload.ToText().find(layer) != std::string::npos) return true;
  return std::any_of(task.nodes.begin(), task.nodes.end(),
                     [&](const std::string& node) { return node.find(layer) != std::string::npos; });
}

// The tasks asked about: a single workload, or a model's tasks as a build with this context looks them up.
std::vector<Task> TasksOf(WhyOptions& options, const BuildContext& context) {
  if (IsWorkload(options.what)) return {{Workload::Parse(options.what), 0, {}}};
  const auto [model, layer] = SplitLayer(options.what);
  if (!model.starts_with("zoo:") && !IsThere(model)) {
    throw Error(
        ExitCode::kNoInput,
        fmt::format("there is no file {}; a model, MODEL:LAYER, or a workload's text in quotes is right", model));
  }
  options.model.model = model;
  std::vector<Task> tasks = ExtractTasks(LoadModel(options.model).typed, context);
  std::erase_if(tasks, [&layer = layer](const Task& task) { return !IsOf(task, layer); });
  if (tasks.empty()) {
    throw Error(ExitCode::kNoInput, fmt::format("no layer of {} has '{}' in its name or workload; "
                                                "`hone inspect {} --tasks` lists them",
                                                model, layer, model));
  }
  return tasks;
}

}  // namespace

int LogWhyCommand(const Arguments& arguments) {
  CommandLine line("hone log why",
                   "Every record that a build considers for a workload, in order, why each is not taken, and last what "
                   "is.",
                   "hone log why zoo:resnet-18:7x7");
  line.First({"--limit", "--target", "--threads", "--db", "--hub"});
  WhyOptions options;
  AddWhyOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  const Machine machine = ResolveMachine(options.machine);
  const std::vector<Task> tasks = TasksOf(options, machine.context);
  const RecordLayers layers = OpenRecords(options.records, options.model.model);
  const RecordConfigSource source(layers, machine.fingerprint);
  Json list = Json::array();
  for (const Task& task : tasks) {
    const WhyAnswer answer = AskWhy(task, machine, layers, source);
    if (line.json()) {
      list.push_back(WhyJson(answer, layers));
    } else {
      if (&task != &tasks.front()) Print("\n");
      Print("{}", WhyText(answer, layers, static_cast<size_t>(options.limit)));
    }
  }
  if (line.json()) PrintJson({{"workloads", list}});
  line.Next("hone explain RECORD" + line.Given({Topic::kStore}));
  return 0;
}

}  // namespace hone
