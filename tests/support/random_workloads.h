// Workloads and configs drawn at random, for tests of every schedule.
#pragma once

#include <cstdint>

#include "compiler/schedules/schedule.h"
#include "core/random.h"
#include "core/workload.h"

namespace hone::testing {

// From lo to hi, both included.
int64_t Between(Random& random, int64_t lo, int64_t hi);

// A config of the schedule that it does not reject. Fails the running test when none is found.
Config ValidConfig(const Schedule& schedule, const Workload& w, const MachineModel& machine, Random& random);

// Grouped ones among them.
Workload RandomConv(Random& r);
// The same with fewer output channels than vectors have lanes, and enough input channels to fill one.
Workload RandomFewOutputs(Random& r);
// The same on images that may be smaller than the kernel: some taps never meet data.
Workload OnSmallImages(Workload w, Random& r);
// As Winograd takes them.
Workload RandomThreeByThree(Random& r);
Workload RandomPointwise(Random& r);
Workload RandomPrologue(Random& r);
Workload RandomDepthwise(Random& r);
Workload RandomDense(Random& r);
// In every order of axes.
Workload RandomBatchMatmul(Random& r);

}  // namespace hone::testing
