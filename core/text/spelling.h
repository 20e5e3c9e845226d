// "Did you mean": finds the name that a mistyped one most likely stands for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// The number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other (optimal
// string alignment).
size_t EditDistance(std::string_view a, std::string_view b);

// The candidate nearest to `name`, ignoring case, or "" if none is within a third of its length (at least 1). Of
// equally near candidates the one that begins like it for longest wins, then the first.
std::string Nearest(std::string_view name, const std::vector<std::string>& candidates);

// "; did you mean X?" or "", to append to an error message. A candidate that was given is no suggestion.
std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace hone
