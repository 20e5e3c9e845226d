// Times the same kernels repeatedly, in turns.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/failure.h"
#include "core/random.h"
#include "rpc_runner/runner.h"
#include "tuner/tune_tools.h"

namespace hone {

// Kernels that are compared with each other.
struct RoundSet {
  std::vector<KernelJob> jobs;
  Random random;  // draws the order
  // results[job][round]; empty when `halted` became true or the machine was lost twice.
  std::vector<std::vector<Measurement>> results = {};
  std::optional<Failure> trouble = {};  // the machine's failure when it was given up, if known
};

// Every round runs every job of a set once, each in a fresh process of the same machine, in a new random order. So
// drift of the machine and the chance placement of a process' memory affect all jobs alike. Sets are timed at the same
// time, each on its own machine as far as there are enough. A set whose machine is lost starts over, once. Throws
// Error(kNoRunner) when the runner takes no job for a minute.
void InterleavedRounds(Runner& runner, std::vector<RoundSet>& sets, int rounds, const TuneTools& tools,
                       const std::function<bool()>& halted);

// Times one set. Also throws Error with the machine's failure.
std::vector<std::vector<Measurement>> InterleavedRounds(Runner& runner, const std::vector<KernelJob>& jobs, int rounds,
                                                        Random& random, const TuneTools& tools,
                                                        const std::function<bool()>& halted);

}  // namespace hone
