// Measures the energy that a run of each package costs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lab/bench/timed_package.h"
#include "lab/model/inputs.h"

namespace hone {

// Runs each package by itself, repeatedly for at least min_ns and at least once, and sets joules_per_run. That is the
// growth of `joules`, a count that only grows, per run. It includes the whole machine and other programs that run on
// it. Throws Error as Package::Load does.
void MeasureEnergy(const InputOptions& inputs, int64_t min_ns, const std::function<double()>& joules,
                   std::vector<TimedPackage>& packages);

}  // namespace hone
