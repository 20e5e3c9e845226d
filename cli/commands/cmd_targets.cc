#include <fmt/format.h>

#include "cli/command_line.h"
#include "compiler/codegen/target/host.h"
#include "compiler/codegen/target/named_targets.h"
#include "core/machine/machine_rows.h"
#include "core/text/printable.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/table.h"

namespace hone {
namespace {

std::string CostsSource(const NamedTarget& named, const MachineModel& m) {
  for (const std::string_view name : {std::string_view(named.target.cpu), std::string_view(m.name)}) {
    if (!CostsFrom(name).empty()) return std::string(CostsFrom(name));
  }
  return "fitted on a Zen 5 core";
}

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
          {"clock_ghz", m.clock_ghz},
          {"multiply_adds_per_cycle", m.multiply_adds_per_cycle},
          {"multiply_add_latency", m.multiply_add_latency},
          {"loads_per_cycle", m.loads_per_cycle},
          {"costs_from", CostsSource(named, m)},
          {"required_features", m.required_features}};
}

// Prints one target's costs below its row, because they would make the list too wide.
void PrintCosts(const NamedTarget& named, const MachineModel& m) {
  Print("GHz {}; of vectors per cycle: multiply-adds {}, loads {}; a sum's latency in cycles {}: {}\n", m.clock_ghz,
        m.multiply_adds_per_cycle, m.loads_per_cycle, m.multiply_add_latency, CostsSource(named, m));
}

std::vector<NamedTarget> AskedTargets(const std::string& name) {
  if (name.empty()) return NamedTargets();
  const Target target = ResolveTarget(name);
  const bool one_word = name.find(' ') == std::string::npos && name != "host";
  return {{one_word || target.cpu.empty() ? name : target.cpu, target, TriedOn(target)}};
}

}  // namespace

int TargetsCommand(const Arguments& arguments) {
  CommandLine line("hone targets",
                   "Targets that are known, what schedules assume of them, and what their kernels were run on.",
                   "hone targets host");
  std::string name;
  line.Add("NAME", name, "a listed name, host, a triple, or LLVM text").Default("all of them");
  if (!line.Parse(arguments)) return 0;
  Json list = Json::array();
  Table table({"target", "model", "> lanes", "> registers", "> L1d", "> L2", "> L3", "run on", "needs"});
  const std::vector<NamedTarget> asked = AskedTargets(name);
  for (const NamedTarget& named : asked) {
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
    if (!name.empty()) PrintCosts(asked.back(), MachineModelFor(asked.back().target));
  }
  line.Next(name.empty() ? "hone targets host"
                         : "hone build MODEL -o P.hone --target " + ShellWord(asked.back().target.ToText()));
  return 0;
}

}  // namespace hone
