// Lists of CPUs in the form that people write.
#pragma once

#include <string_view>
#include <vector>

namespace hone {

// Reads "0,2-3" as {0, 2, 3} and "" as {}. Throws Error(kUsage) naming the text on anything else, also on a number over
// 4095.
std::vector<int> ParseCoreList(std::string_view text);

}  // namespace hone
