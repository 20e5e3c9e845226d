// The options of other programs and of other commands that a user may type.
#pragma once

#include <string>
#include <vector>

namespace hone {

// "; did you mean --trials?" for "-n": hone's option of that meaning, if `names` has it, else the name that is spelt
// most like it. Empty if nothing comes near.
std::string DidYouMeanOption(const std::string& given, const std::vector<std::string>& names);

// "; `hone compare` has it" for an option that other commands have, of which three are named; empty if none has it.
std::string CommandsWith(const std::string& option);

}  // namespace hone
