// Text that blanks part.
#pragma once

#include <string_view>
#include <vector>

namespace hone {

// What stands between blanks, tabs and ends of lines, in order; none is empty. They live as long as `text`.
std::vector<std::string_view> Words(std::string_view text);

}  // namespace hone
