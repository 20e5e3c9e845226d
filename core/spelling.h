// "Did you mean": the name that a mistyped one most likely stands for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other, each counting 1
// (optimal string alignment).
size_t EditDistance(std::string_view a, std::string_view b);

// The candidate nearest to `name`, case ignored, or "" when none is within a third of its length (at least 1). The
// first of equals wins.
std::string Nearest(std::string_view name, const std::vector<std::string>& candidates);

// "; did you mean X?" or "", ready to be put behind an error message.
std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace hone
