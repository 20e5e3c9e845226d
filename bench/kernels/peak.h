// The machine's measured FMA peak, which shares of peak refer to.
#pragma once

#include "core/machine/target.h"

namespace hone::bench {

// One core's float32 GFLOP/s in a compiled loop of independent fused multiply-adds without memory access. The best of
// `rounds` runs of about 10 ms.
double MeasureFmaPeak(const Target& target, int rounds = 20);

}  // namespace hone::bench
