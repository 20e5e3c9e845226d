#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/printing/number_text.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "cli/printing/table.h"
#include "compiler/codegen/host.h"
#include "compiler/codegen/named_targets.h"
#include "core/shell_word.h"

namespace hone {
namespace {

Json RowJson(const NamedTarget& named, const MachineModel& m) {
  return {{"name", named.name},
          {"target", named.target.ToText()},
          {"tried", TriedName(named.tried)},
          {"machine_model", m.name},
          {"vector_lanes", m.vector_lanes},
          {"vector_registers", m.vector_registers},
          {"l1_bytes", m.l1_bytes},
          {"l2_bytes", m.l2_bytes},
          {"l3_bytes", m.l3_bytes},
          {"required_features", m.required_features}};
}

std::vector<NamedTarget> Asked(const std::string& name) {
  if (name.empty()) return NamedTargets();
  const Target target = ResolveTarget(name);
  const bool one_word = name.find(' ') == std::string::npos && name != "host";
  return {{one_word || target.cpu.empty() ? name : target.cpu, target, TriedOn(target)}};
}

}  // namespace

int TargetsCommand(const Arguments& arguments) {
  CommandLine line("hone targets",
                   "Targets that are known, what schedules assume of them, and what their kernels were run on.");
  std::string name;
  line.Add("NAME", name, "a name of the list, \"host\", a triple, or a whole target text; none lists all");
  if (!line.Parse(arguments)) return 0;
  Json list = Json::array();
  Table table({"target", "model", "> lanes", "> registers", "> L1d", "> L2", "> L3", "run on", "needs"});
  std::string text;  // of the last
  for (const NamedTarget& named : Asked(name)) {
    text = named.target.ToText();
    const MachineModel m = MachineModelFor(named.target);
    list.push_back(RowJson(named, m));
    table.Add({named.name, m.name, fmt::format("{}", m.vector_lanes), fmt::format("{}", m.vector_registers),
               BytesText(m.l1_bytes), BytesText(m.l2_bytes), BytesText(m.l3_bytes), std::string(TriedName(named.tried)),
               fmt::format("{}", fmt::join(m.required_features, " "))});
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
