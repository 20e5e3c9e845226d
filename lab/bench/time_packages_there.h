// Times packages on a runner's machine.
#pragma once

#include <string>
#include <vector>

#include "lab/bench/time_packages.h"
#include "rpc_runner/runner.h"

namespace hone {

// Does what TimePackages does, on one machine of the runner's. Parameters and inputs travel unless the runner has kept
// them. With random_params those of float32 do not travel: the runner fills them with random numbers.
//
// A sample is one run with a clock around each call; call_ns has the least time of each call, even without profiled
// runs. A round is one job, in a process of its own. There are at least as many as asked for, plus a first one that
// finds the time of a run.
//
// Uses only these fields of `options`: threads (0: the machine's cores), inputs, rounds, runs and min_time_ns. *machine
// receives the machine's environment. Throws Error(kBadConfig), before anything is sent, for a package that the machine
// cannot run. Also throws Error: kNoRunner if the runner is lost; kAnswerIsNo if a package fails there.
std::vector<TimedPackage> TimePackagesThere(const std::vector<std::string>& paths, const TimePackagesOptions& options,
                                            bool random_params, Runner& runner, Environment* machine);

}  // namespace hone
