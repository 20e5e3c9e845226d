// Shell completion of `hone`'s command line.
#pragma once

#include <string>
#include <string_view>

#include "cli/command_tree.h"

namespace hone {

// The completion script for "bash", "zsh" or "fish". Words are commands, options and options' choices; anything else is
// completed as a file. Throws Error(kUsage) for another shell.
std::string CompletionScript(const CommandDescription& program, std::string_view shell);

}  // namespace hone
