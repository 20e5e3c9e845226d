// The machine and the numbers to tune or build for.
#pragma once

#include <string>
#include <vector>

#include "core/build_context.h"
#include "core/machine/fingerprint.h"
#include "core/measurement.h"

namespace hone {

struct MachineOptions {
  std::string target;  // empty: host, or with a tracker the runner's
  int threads = 0;     // 0: the default
  std::string math = "fast";
  std::string precision = "float32";
  std::string weights = "float32", activations = "float32";
  int64_t group = kWeightGroup;
  int opt_level = 3;
  std::vector<std::string> required_passes = {}, disabled_passes = {};
  std::string lengths = {};  // file (model/lengths_file.h); may be empty
};
// Whether the passes are others than the default ones.
bool ChoosesPasses(const MachineOptions& options);

struct Machine {
  BuildContext context;
  bool is_host = false;     // whether it is this machine itself, not only one of its kind
  Fingerprint fingerprint;  // of this machine, or of the runner; empty for another target
};
// The part of a context that is equal on any machine. For int8 and auto it is that of float32, until a model is made
// for them. Throws as ReadLengths does.
BuildContext ContextOf(const MachineOptions& options);
// Throws Error(kUsage) for a precision or weights that the target has no instructions for, naming those that it has.
void CheckPrecision(const BuildContext& context);
// Why the target has no bfloat16, worded to follow a name; empty if it has.
std::string WhyNoBFloat16(const BuildContext& context);
// The machine of the options. Threads are by default the cores that this machine's affinity and cgroup allow, or the
// target's -num-cores. Throws Error(kUsage).
Machine ResolveMachine(const MachineOptions& options);
// The machine to tune for on a runner. With `remote`, which means behind a tracker, the default target is the runner's
// own, as "runner" also selects. Threads are by default the target's -num-cores if a target was given, else the
// runner's cores. Throws Error: kUsage; kBadConfig, naming both, for a target that cannot run there.
Machine ResolveMachineOf(const MachineOptions& options, const Environment& runner, bool remote);
// Prints one line to stderr with the runner that times and the target.
void TellTimedOn(const Environment& runner, const BuildContext& context);

}  // namespace hone
