// Pictures of what times did over days and between versions. Each has a text alternative and titles on its marks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hone {

struct SeriesMark {
  double day = 0;  // since the first one of the picture
  double ns = 0, low_ns = 0, high_ns = 0;
  std::string title;
  bool grey = false;  // not counted
};
struct SeriesLevel {
  double from_day = 0, to_day = 0, ns = 0;
};
struct SeriesBreak {
  double day = 0;
  std::string title;
};
// Points with their intervals, a line for each level between change points, and an upright one at each of these; times
// from 0. Empty for no marks.
std::string SeriesChart(const std::string& name, const std::vector<SeriesMark>& marks,
                        const std::vector<SeriesLevel>& levels, const std::vector<SeriesBreak>& breaks);

struct ChangeBar {
  std::string label, title;
  double ratio = 1;  // after over before, above 0
};
// A bar to the right for what became slower and to the left for what became faster; logarithmic, so that twice as fast
// is as long as half as fast. Empty for no bars.
std::string ChangeBars(const std::string& name, const std::vector<ChangeBar>& bars);

}  // namespace hone
