// The analytic default of every way in which a workload's data and output may lie.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/schedules/schedule.h"

namespace hone {

// How a kernel reads its data and writes its output, as Layout::ToText() has them.
struct LayoutPair {
  std::string data, output;
  auto operator<=>(const LayoutPair&) const = default;
};
LayoutPair LayoutPairOf(const Schedule& schedule, const Workload& workload, const Config& config);

struct PairDefault {
  LayoutPair layouts;
  DefaultConfig best;
};
// For each pair of layouts that some valid config has, the best by EstimateNs, in the order in which the schedules'
// spaces meet them; `allowed` leaves configs out. The best of all is AnalyticDefault when nothing is left out. Never
// empty for a valid workload, unless `allowed` leaves everything out.
std::vector<PairDefault> LayoutDefaults(
    const Workload& workload, const MachineModel& machine,
    const std::function<bool(const Schedule& schedule, const Config& config)>& allowed);

}  // namespace hone
