// Options --input, --fill and --shape of commands that run a package.
#pragma once

#include "cli/command_line.h"
#include "lab/model/inputs.h"

namespace hone {

// Adds --input and --fill; the seed is an option of the command.
void AddInputOptions(CommandLine& line, InputOptions& options);
// Adds --shape, for commands that take a package and no model.
void AddPackageShapeOption(CommandLine& line, InputOptions& options);

}  // namespace hone
