// Splits text at blanks.
#pragma once

#include <string_view>
#include <vector>

namespace hone {

// The parts between blanks, tabs and line ends, in order; none is empty. They live as long as `text`.
std::vector<std::string_view> Words(std::string_view text);

}  // namespace hone
