// --target and --threads: what a model is tuned or built for.
#pragma once

#include <string>

#include "cli/command_line.h"
#include "core/fingerprint.h"
#include "core/target.h"

namespace hone {

struct MachineOptions {
  std::string target = "host";
  int threads = 0;  // 0: by default
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

}  // namespace hone
