// The help texts, at most 100 columns wide.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace hone {

// The text of one command: summary, usage, options by group, and the example.
std::string HelpText(const CommandDescription& command);
// The commands by group, and the example.
std::string CommandTable(std::string_view program, std::string_view example, const std::vector<Command>& commands);
// The option's description and default: "the store to use [default: the user's own] [env: HONE_DB]".
std::string TextOf(const OptionDescription& option);

}  // namespace hone
