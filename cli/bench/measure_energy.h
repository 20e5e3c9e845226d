// What a run of each package costs in energy.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cli/bench/timed_package.h"
#include "cli/inputs.h"

namespace hone {

// Each package runs alone, again and again for at least min_ns and once at least, and joules_per_run is set: what
// `joules`, a count that only grows, grew by over the runs. Beside what others on the machine use, that is of the whole
// machine while it runs. Throws Error as Package::Load does.
void MeasureEnergy(const InputOptions& inputs, int64_t min_ns, const std::function<double()>& joules,
                   std::vector<TimedPackage>& packages);

}  // namespace hone
