// The same kernels timed again and again, in turns.
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
  std::optional<Failure> trouble = {};  // that the machine had when it was given up, where it tells
};

// Every round runs every job of a set once, each in a fresh process of one and the same machine, in an order drawn
// anew: what drifts on the machine, or comes from where a process' memory happens to lie, meets them all alike. Sets
// are timed at the same time, each on a machine of its own as far as there are so many; one whose machine is lost
// starts over, once. Throws Error(kNoRunner) when the runner takes no job for a minute.
void InterleavedRounds(Runner& runner, std::vector<RoundSet>& sets, int rounds, const TuneTools& tools,
                       const std::function<bool()>& halted);

// Of one set. Throws Error with the machine's trouble too.
std::vector<std::vector<Measurement>> InterleavedRounds(Runner& runner, const std::vector<KernelJob>& jobs, int rounds,
                                                        Random& random, const TuneTools& tools,
                                                        const std::function<bool()>& halted);

}  // namespace hone
