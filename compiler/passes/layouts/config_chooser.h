// The configurations that an anchor may run with.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/passes/graph/pass_context.h"
#include "compiler/schedules/layout_defaults.h"
#include "core/candidate.h"
#include "core/package/plan.h"
#include "core/workload.h"

namespace hone {

// The choices with which a package's layers were built, for a build that must repeat them.
class ChosenConfigs {
 public:
  explicit ChosenConfigs(const Plan& plan);

  // The choice for the layer that computes these nodes, with source, record and time as the plan tells them. Null if
  // the plan lacks the layer or has it with several configs. It lives as long as this object.
  const ConfigChoice* For(const Workload& workload, const std::vector<std::string>& nodes) const;

 private:
  std::map<std::string, std::optional<ConfigChoice>> choices_;  // empty if the plan has several
};

// The best known configuration for one pair of layouts.
struct PairChoice {
  LayoutPair layouts;
  ConfigChoice choice;
  double cost_ns = 0;  // cost of one call; comparable within one workload and with other costs in a graph
};

// Requirements of a call that its workload does not contain.
struct CallNeeds {
  bool constant_weights = true;
  bool exact_sums = false;  // integer sums: only schedules that add plain products
  auto operator<=>(const CallNeeds&) const = default;
};

// Remembers each workload's choices, so that a source is asked once per distinct workload.
class ConfigChooser {
 public:
  // Estimates are for `machine`, which is context.build's except for rates that the graph changes.
  ConfigChooser(const PassContext& context, MachineModel machine);

  // The best choice per pair of layouts, the best of all first. It comes from context.configs if that has one which the
  // schedule accepts, else from the analytic default ("default"). Computed weights cannot be transformed ahead, which
  // excludes schedules that transform them. context.build.exact_math and exact sums exclude inexact schedules.
  //
  // A pair of layouts without a record costs its estimate, scaled by the ratio of the best record to its own estimate.
  // It never costs less than that record, because a measurement outweighs an estimate. A choice whose source gives no
  // time is the only one.
  //
  // If context.chosen has a choice for the layer that computes these nodes, it is the only one.
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
