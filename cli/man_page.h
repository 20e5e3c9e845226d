// The program's manual page.
#pragma once

#include <string>

#include "cli/command_tree.h"

namespace hone {

// A page of section 1 in man(7)'s macros: every command with its options.
std::string ManPage(const CommandDescription& program, const std::string& version);

}  // namespace hone
