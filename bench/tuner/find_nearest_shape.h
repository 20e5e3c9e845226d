// What a workload without records might take from the one that is nearest in shape.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/build_context.h"
#include "core/config_source.h"
#include "core/workload.h"

namespace hone::bench {

struct NearestShape {
  std::string workload;       // whose best config it is
  double doublings = 0;       // that the two are apart
  double estimate_ratio = 1;  // the config's estimate for our workload against the analytic default's: at least 1
  ConfigChoice choice;        // source "nearest shape"; expected_ns scales the record's time as the estimate does
};

// The best config of the nearest of `workloads` (texts) that has the same loops as ours, of other lengths or with
// another epilogue, and whose config `valid` takes for ours. `records` is asked for what others have; no other records
// count than of this machine or microarchitecture. nullopt when there is none.
std::optional<NearestShape> FindNearestShape(
    const Workload& workload, const BuildContext& context, const std::vector<std::string>& workloads,
    ConfigSource& records, const std::function<bool(const std::string& schedule, const Config& config)>& valid);

}  // namespace hone::bench
