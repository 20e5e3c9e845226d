// What a runner's machine can do at best.
#pragma once

#include <cstdint>

#include "core/target.h"
#include "rpc_runner/runner.h"

namespace hone {

// float32 GFLOP/s of fused multiply-adds on so many threads, as a kernel job like any (CompileFmaKernel), so that every
// runner answers it: the best of 15 samples of about a tenth of a millisecond in each of 3 processes. 0 when the runner
// did not run it within patience_ns.
double MeasurePeak(Runner& runner, const Target& target, int threads, int64_t patience_ns = 30'000'000'000);

}  // namespace hone
