#include "cli/machine_options.h"

#include <fmt/format.h>

#include "cli/device_name.h"
#include "compiler/codegen/host.h"
#include "compiler/codegen/machine_target.h"
#include "core/error.h"
#include "rpc_runner/environment.h"
#include "runtime/session.h"

namespace hone {
namespace {

int DefaultThreads(const Machine& machine) {
  if (machine.is_host || machine.target.num_cores == 0) return AllowedCores();
  return machine.target.num_cores;
}

}  // namespace

void AddThreadsOption(CommandLine& line, int& threads) {
  line.Add("--threads", threads, "threads; by default the cores that affinity and the cgroup allow")
      .Between(1, 1024)
      .Env("HONE_THREADS")
      .About(Topic::kThreads);
}

void AddMachineOptions(CommandLine& line, MachineOptions& options) {
  line.Add(
          "--target", options.target,
          "\"host\" (the default), or as \"llvm -mtriple=... -mcpu=... -mattr=+a,-b -num-cores=4\"; tuning on runners: "
          "\"runner\" (the default there)")
      .About(Topic::kTarget);
  AddThreadsOption(line, options.threads);
}

Machine ResolveMachine(const MachineOptions& options) {
  Machine machine;
  machine.is_host = options.target.empty() || options.target == "host";
  machine.target = machine.is_host ? HostTarget() : ResolveTarget(options.target);
  machine.threads = options.threads > 0 ? options.threads : DefaultThreads(machine);
  if (machine.is_host) machine.fingerprint = FingerprintOf(ProbeEnvironment());
  return machine;
}

Machine ResolveMachineOf(const MachineOptions& options, const Environment& runner, bool remote) {
  const bool of_runner = remote && (options.target.empty() || options.target == "runner");
  Machine machine;
  if (of_runner) {
    machine.target = TargetOf(runner);
  } else {
    machine = ResolveMachine(options);
  }
  const bool told = !of_runner && !machine.is_host && machine.target.num_cores > 0;
  machine.threads = options.threads > 0 ? options.threads : told ? machine.target.num_cores : runner.cores;
  machine.fingerprint = FingerprintOf(runner);
  const std::string why_not = WhyNotOn(runner, machine.target, machine.threads);
  if (!why_not.empty()) {
    throw Error(ExitCode::kBadConfig,
                fmt::format("{} cannot time this: {}; without --target and --threads its own are taken",
                            RunnerName(runner), why_not));
  }
  return machine;
}

}  // namespace hone
