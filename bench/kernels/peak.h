// The machine's FMA peak, measured: what shares of peak are quoted against.
#pragma once

#include "core/target.h"

namespace hone::bench {

// float32 GFLOP/s of one core on a compiled loop of independent fused multiply-adds that touches no memory: the best of
// `rounds` runs of about 10 ms.
double MeasureFmaPeak(const Target& target, int rounds = 20);

}  // namespace hone::bench
