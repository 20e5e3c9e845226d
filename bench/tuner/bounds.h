// What a page of docs/ says bounds a benchmark's rows: a miss that is measured and explained there is no failure.
#pragma once

#include <istream>
#include <map>
#include <string>

namespace hone::bench {

struct Bound {
  double reached = 0;  // what the page says was reached
  std::string what;    // bounds it
};
using Bounds = std::map<std::string, Bound>;  // by row

// The Markdown table | row | reached | bound | under a heading "Bounds"; empty when the page has none. Throws
// Error(kBadData) with the line's number for a row that is not: a name, a number and what bounds it.
Bounds ReadBounds(std::istream& page);
// Of a file. Throws Error(kNoInput) too.
Bounds ReadBounds(const std::string& path);

}  // namespace hone::bench
