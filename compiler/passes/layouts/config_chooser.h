// The configurations that an anchor may run with.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/passes/graph/pass_context.h"
#include "compiler/passes/graph/run_lengths.h"
#include "compiler/schedules/layout_defaults.h"
#include "core/candidate.h"
#include "core/package/plan.h"
#include "core/workload.h"

namespace hone {

// The choices with which a package's layers were built, for a build that must repeat them.
class ChosenConfigs {
 public:
  // The kernel of a layer, and those of its variants.
  struct Layer {
    ConfigChoice choice;
    std::vector<ConfigChoice> variants;
  };

  explicit ChosenConfigs(const Plan& plan);

  // The choices for the layer that computes these nodes, with source, record and time as the plan tells them. Null if
  // the plan lacks the layer or has it with several configs. They live as long as this object.
  const Layer* For(const Workload& workload, const std::vector<std::string>& nodes) const;

 private:
  std::map<std::string, std::optional<Layer>> layers_;  // empty if the plan has several
};

// The best known configuration for one pair of layouts.
struct PairChoice {
  LayoutPair layouts;
  ConfigChoice choice;
  double cost_ns = 0;  // cost of one call; comparable within one workload and with other costs in a graph
  std::vector<AnchorVariant> variants = {};  // with operands in the same layouts, except for constant weights
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
  // Estimates are for `machine`, which is context.build's except for rates that the graph changes. `needed` is of the
  // graph, and null if its shapes are fixed; it must outlive the object.
  ConfigChooser(const PassContext& context, MachineModel machine, const NeededResults* needed = nullptr);

  // The parts of an anchor's result that runs need; empty if all of them need the whole.
  std::vector<NeededResult> PartsOf(const relay::Call& call) const {
    return needed_ == nullptr ? std::vector<NeededResult>() : needed_->Of(call);
  }

  // The best choice per pair of layouts, the best of all first. It comes from context.configs if that has one which the
  // schedule accepts, else from the analytic default ("default"). Computed weights cannot be transformed ahead, which
  // excludes schedules that transform them. context.build.exact_math and exact sums exclude inexact schedules.
  //
  // A pair of layouts without a record costs its estimate, scaled by the ratio of the best record to its own estimate.
  // It never costs less than that record, because a measurement outweighs an estimate. A choice whose source gives no
  // time is the only one.
  //
  // If context.chosen has a choice for the layer that computes these nodes, it is the only one.
  //
  // `parts` are the results that runs need (graph/run_lengths.h), the last of which is the whole; empty: all need the
  // whole. With several, the choices have variants (ranged_kernels.h). A source is asked for the workload of each part.
  const std::vector<PairChoice>& For(const Workload& workload, const CallNeeds& needs,
                                     const std::vector<std::string>& nodes = {},
                                     const std::vector<NeededResult>& parts = {});

 private:
  bool Allowed(const Schedule& schedule, const Workload& workload, const Config& config, const CallNeeds& needs) const;
  bool Valid(const ConfigChoice& choice, const Workload& workload, const CallNeeds& needs) const;
  // The choices for the workload `asked` that a kernel of `workload` can take, which is the same or has a larger
  // result.
  std::vector<ConfigChoice> Known(const Workload& workload, const CallNeeds& needs, const Workload& asked) const;
  const std::vector<PairChoice>* Given(const Workload& workload, const CallNeeds& needs,
                                       const std::vector<std::string>& nodes);
  std::vector<PairChoice> Choose(const Workload& workload, const CallNeeds& needs) const;
  std::vector<PairChoice> ChooseForRange(const Workload& workload, const CallNeeds& needs,
                                         const std::vector<NeededResult>& parts) const;

  const PassContext& context_;
  MachineModel machine_;
  const NeededResults* needed_;
  std::map<std::tuple<std::string, CallNeeds, std::vector<NeededResult>>, std::vector<PairChoice>> choices_;
  std::map<const ChosenConfigs::Layer*, std::vector<PairChoice>> given_;  // by the layer in context.chosen
};

}  // namespace hone
