// --target and --threads: what a model is tuned or built for.
#pragma once

#include <string>

#include "cli/command_line.h"
#include "core/fingerprint.h"
#include "core/measurement.h"
#include "core/target.h"

namespace hone {

struct MachineOptions {
  std::string target;  // empty: host, or with a tracker the runner's
  int threads = 0;     // 0: by default
};
void AddMachineOptions(CommandLine& line, MachineOptions& options);
// --threads alone.
void AddThreadsOption(CommandLine& line, int& threads);

struct Machine {
  Target target;
  bool is_host = false;  // the very machine that we run on, not merely its kind
  int threads = 1;
  Fingerprint fingerprint;  // of this machine; not known for another target
};
// Threads are by default the cores that this machine's affinity and cgroup allow, or the target's -num-cores. Throws
// Error(kUsage).
Machine ResolveMachine(const MachineOptions& options);
// What to tune for on a runner. `remote`: it is behind a tracker; then the target is by default the runner's own, as
// "runner" says too. Threads are by default the target's -num-cores where one was given, else the runner's cores.
// Throws Error: kBadConfig for what cannot run there, naming both; kUsage.
Machine ResolveMachineOf(const MachineOptions& options, const Environment& runner, bool remote);

}  // namespace hone
