// The analytic default for every pair of layouts that a workload's data and output can have.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/schedules/schedule.h"

namespace hone {

// The layouts in which a kernel reads its data and writes its output, as Layout::ToText() writes them.
struct LayoutPair {
  std::string data, output;
  auto operator<=>(const LayoutPair&) const = default;
};
LayoutPair LayoutPairOf(const Schedule& schedule, const Workload& workload, const Config& config);

struct PairDefault {
  LayoutPair layouts;
  DefaultConfig best;
};
// For each pair of layouts of some valid config, the best config by EstimateNs, in the order in which the schedules'
// spaces list them. `allowed` excludes configs. If nothing is excluded, the best of all is AnalyticDefault. Never empty
// for a valid workload, unless `allowed` excludes everything.
std::vector<PairDefault> LayoutDefaults(
    const Workload& workload, const MachineModel& machine,
    const std::function<bool(const Schedule& schedule, const Config& config)>& allowed);

}  // namespace hone
