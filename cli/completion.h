// What a shell completes after `hone`.
#pragma once

#include <string>
#include <string_view>

#include "cli/command_tree.h"

namespace hone {

// The script that a shell reads: "bash", "zsh" or "fish". Words are commands, options and the values that an option
// lists; anything else is completed as a file. Throws Error(kUsage) for another shell.
std::string CompletionScript(const CommandDescription& program, std::string_view shell);

}  // namespace hone
