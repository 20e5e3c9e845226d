#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/machine_options.h"
#include "compiler/schedules/schedule.h"
#include "core/error.h"
#include "core/text/printable.h"
#include "core/workload.h"
#include "lab/machine/machine.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/table.h"

namespace hone {
namespace {

void PrintSchedule(const Schedule& schedule, const ConfigSpace& space) {
  Print("\n{} (version {}): {}\n", schedule.name(), schedule.version(), Counted(space.size(), "config"));
  Table table({"  knob", "values"});
  for (const Knob& knob : space.knobs()) table.Add({"  " + knob.name, fmt::format("{}", fmt::join(knob.values, " "))});
  if (!table.empty()) Print("{}", table.ToText());
}

Json ScheduleJson(const Schedule& schedule, const ConfigSpace& space) {
  Json knobs = Json::array();
  for (const Knob& knob : space.knobs()) knobs.push_back({{"name", knob.name}, {"values", knob.values}});
  return {{"schedule", std::string(schedule.name())},
          {"version", schedule.version()},
          {"size", space.size()},
          {"knobs", knobs}};
}

}  // namespace

int SpaceCommand(const Arguments& arguments) {
  CommandLine line("hone space", "The schedules that can compute a workload: knobs, values and size of each.",
                   "hone space \"nn.dense data=1x64 weight=10x64 dtype=float32 epilogue=bias_act\"");
  std::string text;
  MachineOptions options;
  line.Add("WORKLOAD", text, "a workload's text in quotes, from `hone inspect MODEL --tasks`").Required();
  AddMachineOptions(line, options);
  if (!line.Parse(arguments)) return 0;

  if (text.find(' ') == std::string::npos) {
    throw Error(ExitCode::kBadData,
                fmt::format("'{}' is no workload, which is a line of `hone inspect MODEL --tasks`, in quotes", text));
  }
  const Workload workload = Workload::Parse(text);
  const MachineModel machine = ResolveMachine(options).context.machine();
  const DefaultConfig best = AnalyticDefault(workload, machine);
  Json schedules = Json::array();
  if (!line.json()) Print("{}\nmachine model {}, {}\n", workload.ToText(), machine.name, FlopText(workload.Flops()));
  for (const Schedule* schedule : SchedulesFor(workload, machine)) {
    const ConfigSpace space = schedule->Space(workload, machine);
    schedules.push_back(ScheduleJson(*schedule, space));
    if (!line.json()) PrintSchedule(*schedule, space);
  }
  if (line.json()) {
    PrintJson({{"workload", workload.ToText()},
               {"machine", machine.name},
               {"schedules", schedules},
               {"default", {{"schedule", std::string(best.schedule->name())}, {"config", best.config.ToText()}}}});
  } else {
    Print("\ndefault without records: {} {} (estimated {} on one core)\n", best.schedule->name(), best.config.ToText(),
          TimeText(static_cast<int64_t>(best.estimate_ns)));
  }
  line.Next("hone tune MODEL" + line.Given({Topic::kTarget, Topic::kThreads}));
  return 0;
}

}  // namespace hone
