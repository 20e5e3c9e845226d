// The positional MODEL, the options of models, and those of a package's inputs.
#pragma once

#include "cli/command_line.h"
#include "lab/model/inputs.h"
#include "lab/model/model.h"

namespace hone {

// Adds the positional MODEL and its options, bound to `options`. A command with another --params passes
// "--params-file", the name that is valid everywhere, as `params_option`.
inline constexpr const char* kParamsOption = "--params-file,--params";
void AddModelOptions(CommandLine& line, ModelOptions& options, const char* params_option = kParamsOption);
// Adds all options but the positional, for commands that take several models.
void AddModelDetails(CommandLine& line, ModelOptions& options, const char* params_option = kParamsOption);
// Adds only --batch, --classes, --image-shape, --layout and --seed, for commands that name a network in another way.
void AddZooOptions(CommandLine& line, ModelOptions& options);
// Adds only --shape, --dim, --max-dim, --value, --state and --seed-input.
void AddShapeOptions(CommandLine& line, ModelOptions& options);

// Adds --input and --fill; the seed is an option of the command.
void AddInputOptions(CommandLine& line, InputOptions& options);
// Adds --shape, for commands that take a package and no model.
void AddPackageShapeOption(CommandLine& line, InputOptions& options);
// Adds --dim, for the same commands.
void AddPackageDimOption(CommandLine& line, InputOptions& options);

}  // namespace hone
