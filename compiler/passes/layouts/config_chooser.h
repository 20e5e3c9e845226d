// Which configurations an anchor may run with.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/passes/graph/pass_context.h"
#include "compiler/schedules/layout_defaults.h"
#include "core/config_source.h"
#include "core/workload.h"

namespace hone {

// The best that is known of one way to lie in memory.
struct PairChoice {
  LayoutPair layouts;
  ConfigChoice choice;
  double cost_ns = 0;  // of one call; to be compared among one workload's choices and with other costs in a graph
};

// What a workload does not say of one call of it.
struct CallNeeds {
  bool constant_weights = true;
  bool exact_sums = false;  // of whole numbers: no schedule but those that add plain products
  auto operator<=>(const CallNeeds&) const = default;
};

// Remembers each workload's choices, so that a source is asked once per distinct workload.
class ConfigChooser {
 public:
  // Estimates are for `machine`, which is context.build's but for rates that the graph changes.
  ConfigChooser(const PassContext& context, MachineModel machine);

  // One per pair of layouts, the best of all first: from context.configs when it has one that the schedule accepts,
  // else the analytic default ("default"). Weights that are no constants cannot be transformed ahead: such a schedule
  // is then no choice, nor is an inexact one with context.build.exact_math or for exact sums.
  //
  // A pair that no record has costs its estimate times what the best record is off from its own estimate, and never
  // less than that record: what was measured stands against what is only hoped. A choice whose source gives no time is
  // the only one.
  //
  // What context.chosen has for the layer that computes these nodes is the only one.
  const std::vector<PairChoice>& For(const Workload& workload, const CallNeeds& needs,
                                     const std::vector<std::string>& nodes = {});

 private:
  bool Allowed(const Schedule& schedule, const Workload& workload, const Config& config, const CallNeeds& needs) const;
  bool Valid(const ConfigChoice& choice, const Workload& workload, const CallNeeds& needs) const;
  std::vector<ConfigChoice> Known(const Workload& workload, const CallNeeds& needs) const;
  const std::vector<PairChoice>* Given(const Workload& workload, const CallNeeds& needs,
                                       const std::vector<std::string>& nodes);
  std::vector<PairChoice> Choose(const Workload& workload, const CallNeeds& needs) const;

  const PassContext& context_;
  MachineModel machine_;
  std::map<std::pair<std::string, CallNeeds>, std::vector<PairChoice>> choices_;
  std::map<const ConfigChoice*, std::vector<PairChoice>> given_;  // by the choice in context.chosen
};

}  // namespace hone
