// Workloads and configs drawn at random, for tests of every schedule.
#pragma once

#include <cstdint>

#include "compiler/schedules/schedule.h"
#include "core/random.h"
#include "core/workload.h"

namespace hone::testing {

// From lo to hi, both included.
int64_t Between(Random& random, int64_t lo, int64_t hi);

// A config that the schedule does not reject. Fails the running test when none is found.
Config ValidConfig(const Schedule& schedule, const Workload& w, const MachineModel& machine, Random& random);

// May be grouped.
Workload RandomConv(Random& r);
// A convolution with fewer output channels than vectors have lanes, and enough input channels to fill one.
Workload RandomFewOutputs(Random& r);
// The workload on images that may be smaller than the kernel, so some taps never meet data.
Workload OnSmallImages(Workload w, Random& r);
// A convolution that Winograd's schedule takes.
Workload RandomThreeByThree(Random& r);
Workload RandomPointwise(Random& r);
Workload RandomPrologue(Random& r);
Workload RandomDepthwise(Random& r);
Workload RandomDense(Random& r);
// Weights of 2, 4 or 8 bits, with zero points or without; the last block may be partial, and its last word too. A third
// of them quantises rows.
Workload RandomDenseBlocks(Random& r);
// Operands have their axes in any order.
Workload RandomBatchMatmul(Random& r);

}  // namespace hone::testing
