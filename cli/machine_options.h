// Options --target, --threads, --math, --precision and --weights: the machine and the numbers to tune or build for.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"
#include "lab/machine/machine.h"

namespace hone {

// Adds --target and --threads.
void AddMachineOptions(CommandLine& line, MachineOptions& options);
// Values of --precision: those of a context, and those for which the command itself transforms the model
// (lab/precision).
inline const std::vector<std::string> kContextPrecisions = {"float32", "bfloat16"};
inline const std::vector<std::string> kModelPrecisions = {"float32", "bfloat16", "int8", "auto"};
// Adds --target, --threads, --math, --precision and --weights, for commands that make tasks or a package of a model.
void AddContextOptions(CommandLine& line, MachineOptions& options,
                       const std::vector<std::string>& precisions = kContextPrecisions);
// Adds them with kModelPrecisions and a repeatable --target for several machines; options.target is not set.
void AddContextOptions(CommandLine& line, MachineOptions& options, std::vector<std::string>& targets);
// Adds -O, --require-pass and --disable-pass, which choose the passes.
void AddPassOptions(CommandLine& line, MachineOptions& options);
// --lengths, for commands that choose the kernels of a model.
void AddLengthsOption(CommandLine& line, MachineOptions& options);
// Adds only --threads.
void AddThreadsOption(CommandLine& line, int& threads);

}  // namespace hone
