// The peak performance of a runner's machine.
#pragma once

#include <cstdint>

#include "core/machine/target.h"
#include "rpc_runner/runner.h"

namespace hone {

// float32 GFLOP/s of fused multiply-adds on `threads` threads: the best of 15 samples of about a tenth of a
// millisecond in each of 3 processes. It is an ordinary kernel job (CompileFmaKernel), so every runner can run it. 0
// when the runner did not run it within patience_ns.
double MeasurePeak(Runner& runner, const Target& target, int threads, int64_t patience_ns = 30'000'000'000);

}  // namespace hone
