// The same kernels timed again and again, in turns.
#pragma once

#include <functional>
#include <vector>

#include "core/random.h"
#include "rpc_runner/runner.h"
#include "tuner/tune_tools.h"

namespace hone {

// result[job][round]. Every round runs every job once, each in a fresh process of its runner, in an order drawn anew:
// what drifts on the machine, or comes from where a process' memory happens to lie, meets them all alike. Empty when
// `halted` became true or a runner was lost. Throws Error(kNoRunner) when the runner takes no job for a minute.
std::vector<std::vector<Measurement>> InterleavedRounds(Runner& runner, const std::vector<KernelJob>& jobs, int rounds,
                                                        Random& random, const TuneTools& tools,
                                                        const std::function<bool()>& halted);

}  // namespace hone
