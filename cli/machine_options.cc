#include "cli/machine_options.h"

#include "compiler/codegen/host.h"
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
  line.Add("--target", options.target, "\"host\", or as \"llvm -mtriple=... -mcpu=... -mattr=+a,-b -num-cores=4\"")
      .ShowDefault()
      .About(Topic::kTarget);
  AddThreadsOption(line, options.threads);
}

Machine ResolveMachine(const MachineOptions& options) {
  Machine machine;
  machine.target = ResolveTarget(options.target);
  machine.is_host = options.target == "host";
  machine.threads = options.threads > 0 ? options.threads : DefaultThreads(machine);
  if (machine.is_host) machine.fingerprint = FingerprintOf(ProbeEnvironment());
  return machine;
}

}  // namespace hone
