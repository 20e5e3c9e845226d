// --target, --threads, --math, --precision and --weights: what a model is tuned or built for.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"
#include "core/build_context.h"
#include "core/fingerprint.h"
#include "core/measurement.h"

namespace hone {

struct MachineOptions {
  std::string target;  // empty: host, or with a tracker the runner's
  int threads = 0;     // 0: by default
  std::string math = "fast";
  std::string precision = "float32";
  std::string weights = "float32";
  int opt_level = 3;
  std::vector<std::string> required_passes = {}, disabled_passes = {};
};
// --target and --threads.
void AddMachineOptions(CommandLine& line, MachineOptions& options);
// What --precision takes: of a context, and where the command itself makes a model of it (cli/precision).
inline const std::vector<std::string> kContextPrecisions = {"float32", "bfloat16"};
inline const std::vector<std::string> kModelPrecisions = {"float32", "bfloat16", "int8", "auto"};
// Those, --math, --precision and --weights: for every command that makes tasks or a package of a model.
void AddContextOptions(CommandLine& line, MachineOptions& options,
                       const std::vector<std::string>& precisions = kContextPrecisions);
// The same with kModelPrecisions and --target once for each of several machines; options.target stays as it is.
void AddContextOptions(CommandLine& line, MachineOptions& options, std::vector<std::string>& targets);
// Which passes run: -O, --require-pass and --disable-pass.
void AddPassOptions(CommandLine& line, MachineOptions& options);
// Whether any of these was given.
bool ChoosesPasses(const MachineOptions& options);
// --threads alone.
void AddThreadsOption(CommandLine& line, int& threads);

struct Machine {
  BuildContext context;
  bool is_host = false;     // the very machine that we run on, not merely its kind
  Fingerprint fingerprint;  // of this machine; not known for another target
};
// The part of a context that is the same on any machine. int8 and auto are float32's, until a model is made of them.
BuildContext ContextOf(const MachineOptions& options);
// Throws Error(kUsage) for a precision, or weights, that the target has no instructions for, naming what it has.
void CheckPrecision(const BuildContext& context);
// Why the target has no bfloat16, to go on after a name; empty when it has.
std::string WhyNoBFloat16(const BuildContext& context);
// Threads are by default the cores that this machine's affinity and cgroup allow, or the target's -num-cores. Throws
// Error(kUsage).
Machine ResolveMachine(const MachineOptions& options);
// What to tune for on a runner. `remote`: it is behind a tracker; then the target is by default the runner's own, as
// "runner" says too. Threads are by default the target's -num-cores where one was given, else the runner's cores.
// Throws Error: kBadConfig for what cannot run there, naming both; kUsage.
Machine ResolveMachineOf(const MachineOptions& options, const Environment& runner, bool remote);
// One line to stderr: which runner times, and what for.
void TellTimedOn(const Environment& runner, const BuildContext& context);

}  // namespace hone
