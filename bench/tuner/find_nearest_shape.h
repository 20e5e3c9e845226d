// Configs for a workload without records, taken from the workload of the nearest shape.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/build_context.h"
#include "core/candidate.h"
#include "core/workload.h"

namespace hone::bench {

struct NearestShape {
  std::string workload;       // the workload that the config is the best of
  double doublings = 0;       // distance between the two workloads, in doublings of their lengths
  double estimate_ratio = 1;  // the config's estimate over the analytic default's, for the given workload: at least 1
  ConfigChoice choice;        // source "nearest shape"; expected_ns scales the record's time as the estimate does
};

// Searches `workloads` (texts) for the nearest one with the same loops, of other lengths or with another epilogue, and
// returns its best config. `valid` must accept the config for the given workload. Configs come from `records`, and only
// from records of this machine or microarchitecture. Nullopt if there is none.
std::optional<NearestShape> FindNearestShape(
    const Workload& workload, const BuildContext& context, const std::vector<std::string>& workloads,
    ConfigSource& records, const std::function<bool(const std::string& schedule, const Config& config)>& valid);

}  // namespace hone::bench
