// Verdicts that are seen at once.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// The words "slower" and "DIFFERS" in red and "faster" in green, as terminals show them, where each stands alone and
// judges: not as a count ("2 faster, ...") or a percentage ("0.1 % slower", which may be noise).
std::string WithColours(std::string_view text);

// As Print of this text, with colours where stdout is a terminal and NO_COLOR does not ask for plain text.
void PrintVerdicts(std::string_view text);

}  // namespace hone
