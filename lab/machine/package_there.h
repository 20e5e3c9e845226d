// Runs a built package on a runner's machine.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/measurement.h"
#include "core/tensor.h"
#include "rpc_runner/runner.h"
#include "runtime/package.h"

namespace hone {

// A package that was inspected here and is to run there.
struct PackageThere {
  std::string path;  // the package's name in messages
  std::shared_ptr<const Package> package;
  int threads = 0;
};

// Whether the machine can run code for a target; selects a package in a file for several targets.
CanRun RunsOn(const Environment& machine);

// `threads` 0 means the machine's cores. Throws Error: kBadConfig, naming both, if that machine cannot run the package;
// kBadData if its parameters are damaged.
PackageThere ForMachine(const std::string& path, std::shared_ptr<const Package> package, int threads,
                        const Environment& machine);

// A job with the package's own parameters and these inputs, one for each of the plan's. Parameters travel only if the
// runner has not kept them.
PackageJob JobWith(const PackageThere& there, const std::map<std::string, Tensor>& inputs, int runs);

// Throws Error if the job of this package failed: kNoRunner if the runner was lost, else kAnswerIsNo with its fate.
void RequireOk(const std::string& name, const JobResult& result);

struct RanThere {
  std::vector<Tensor> outputs;  // in the plan's order
  int64_t run_ns = 0;
  Environment machine;
};
// Runs the package once. Throws Error as RequireOk does.
RanThere RunThere(const PackageThere& there, const std::map<std::string, Tensor>& inputs, Runner& runner);

// One runner of the key. Throws Error as MakeRemoteRunner does.
std::unique_ptr<Runner> OneRunner(RemoteRunnerOptions options);

}  // namespace hone
