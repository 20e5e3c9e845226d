// CPUs as people list them.
#pragma once

#include <string_view>
#include <vector>

namespace hone {

// "0,2-3" as {0, 2, 3}; "" as {}. Throws Error(kUsage) naming the text on anything else, also on a number over 4095.
std::vector<int> ParseCoreList(std::string_view text);

}  // namespace hone
