// Times a single artifact on one thread.
#pragma once

#include "core/artifact.h"

namespace hone::bench {

struct KernelTimes {
  double hot_ns = 0;   // best run on the same buffers
  double cold_ns = 0;  // best run with weights from copies that exceed the last-level cache
};
KernelTimes TimeKernel(const Artifact& artifact, double seconds);

}  // namespace hone::bench
