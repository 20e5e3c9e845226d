#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/known_cpus.h"
#include "cli/printing/number_text.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "cli/printing/table.h"
#include "compiler/codegen/host.h"
#include "core/shell_word.h"

namespace hone {
namespace {

Json RowJson(const std::string& name, const MachineModel& m) {
  return {{"name", name},
          {"machine_model", m.name},
          {"vector_lanes", m.vector_lanes},
          {"vector_registers", m.vector_registers},
          {"l1_bytes", m.l1_bytes},
          {"l2_bytes", m.l2_bytes},
          {"l3_bytes", m.l3_bytes},
          {"required_features", m.required_features}};
}

std::vector<KnownCpu> Asked(const std::string& name) {
  if (name.empty()) return KnownCpus();
  const Target target = name == "host" || name.find('=') != std::string::npos ? ResolveTarget(name) : TargetOfCpu(name);
  return {{target.cpu, target}};
}

}  // namespace

int TargetsCommand(const Arguments& arguments) {
  CommandLine line("hone targets", "CPUs that are known, and what schedules assume of them.");
  std::string name;
  line.Add("NAME", name, "a CPU of the list, \"host\", or a whole target text; none lists all");
  if (!line.Parse(arguments)) return 0;
  Json list = Json::array();
  Table table({"cpu", "model", "> lanes", "> registers", "> L1d", "> L2", "> L3", "needs", "target"});
  std::string text;  // of the last
  for (const KnownCpu& cpu : Asked(name)) {
    text = cpu.target.ToText();
    const MachineModel m = MachineModelFor(cpu.target);
    list.push_back(RowJson(cpu.name, m));
    table.Add({cpu.name, m.name, fmt::format("{}", m.vector_lanes), fmt::format("{}", m.vector_registers),
               BytesText(m.l1_bytes), BytesText(m.l2_bytes), BytesText(m.l3_bytes),
               fmt::format("{}", fmt::join(m.required_features, " ")), text});
  }
  if (line.json()) {
    PrintJson({{"targets", list}});
  } else {
    Print("{}", table.ToText());
  }
  line.Next(name.empty() ? "hone targets host" : "hone build MODEL -o P.hone --target " + ShellWord(text));
  return 0;
}

}  // namespace hone
