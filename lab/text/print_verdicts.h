// Prints verdicts in colours.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// Colours the words "slower" and "DIFFERS" red and "faster" green, by terminal escapes. Other uses of the words stay
// plain: a count ("2 faster, ...") and a percentage ("0.1 % slower", which may be noise).
std::string WithColours(std::string_view text);

// Prints like Print, with colours if stdout is a terminal and NO_COLOR is not set.
void PrintVerdicts(std::string_view text);

}  // namespace hone
