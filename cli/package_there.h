// A built package on the machine of a runner.
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

// A package that was looked into here and is to run there.
struct PackageThere {
  std::string path;  // how messages name it
  std::shared_ptr<const Package> package;
  int threads = 0;
};

// Whether the machine runs what was built for a target: of packages for several, the one to open for it.
CanRun RunsOn(const Environment& machine);

// `threads`: 0 for the machine's cores. Throws Error: kBadConfig, naming both, when that machine cannot run the
// package; kBadData when its parameters are damaged.
PackageThere ForMachine(const std::string& path, std::shared_ptr<const Package> package, int threads,
                        const Environment& machine);

// A job with the package's own parameters, which travel when the runner has not kept them, and these inputs, one for
// each of the plan's.
PackageJob JobWith(const PackageThere& there, const std::map<std::string, Tensor>& inputs, int runs);

// Throws Error when the job of the package so named did not go well: kNoRunner when the runner was lost, kAnswerIsNo
// with its fate otherwise.
void RequireOk(const std::string& name, const JobResult& result);

struct RanThere {
  std::vector<Tensor> outputs;  // in the plan's order
  int64_t run_ns = 0;
  Environment machine;
};
// Runs it once. Throws Error as RequireOk does.
RanThere RunThere(const PackageThere& there, const std::map<std::string, Tensor>& inputs, Runner& runner);

// One runner of the key, for a package. Throws Error as MakeRemoteRunner does.
std::unique_ptr<Runner> OneRunner(RemoteRunnerOptions options);

}  // namespace hone
