// The positional MODEL, and the options of models.
#pragma once

#include "cli/command_line.h"
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
// Adds only --shape, --dim, --max-dim and --value.
void AddShapeOptions(CommandLine& line, ModelOptions& options);

}  // namespace hone
