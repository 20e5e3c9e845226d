// Times packages on the machine of a runner.
#pragma once

#include <string>
#include <vector>

#include "cli/bench/time_packages.h"
#include "rpc_runner/runner.h"

namespace hone {

// As TimePackages, on one machine of the runner's. Parameters and inputs travel where the runner has not kept them;
// with random_params those of float32 do not, and the runner fills them with random numbers. A sample is one run with a
// clock around each call; call_ns has the least time of each call, without profiled runs too. A round is one job, in a
// process of its own; there are at least as many as asked for, one before them that tells what a run takes. Of
// `options` it takes threads (0: the machine's cores), inputs, rounds, runs and min_time_ns. *machine becomes the
// machine. Throws Error: kBadConfig, before anything is sent, for a package that it cannot run; kNoRunner when it is
// lost; kAnswerIsNo when a package fails there.
std::vector<TimedPackage> TimePackagesThere(const std::vector<std::string>& paths, const TimePackagesOptions& options,
                                            bool random_params, Runner& runner, Environment* machine);

}  // namespace hone
