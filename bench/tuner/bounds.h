// Bounds on a benchmark's rows from a page of docs/: a miss that is measured and explained there is no failure.
#pragma once

#include <istream>
#include <map>
#include <string>

namespace hone::bench {

struct Bound {
  double reached = 0;  // the figure on the page
  std::string what;    // the reason on the page
};
using Bounds = std::map<std::string, Bound>;  // by row

// Reads the Markdown table | row | reached | bound | under a heading "Bounds"; empty if the page has none. Throws
// Error(kBadData) with the line number for a row that is not a name, a number and a reason.
Bounds ReadBounds(std::istream& page);
// Reads a file. Also throws Error(kNoInput).
Bounds ReadBounds(const std::string& path);

}  // namespace hone::bench
