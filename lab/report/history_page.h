// A history as one page, in the frame that ReportPage has, and the charts on it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lab/history/history_forms.h"

namespace hone {

// Charts of times over days and between versions. Each has a text alternative, and titles on its marks.

struct SeriesMark {
  double day = 0;  // days since the first mark of the chart
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
// Points with their intervals, a horizontal line per level between change points, and a vertical one at each change
// point. Times start at 0. Empty without marks.
std::string SeriesChart(const std::string& name, const std::vector<SeriesMark>& marks,
                        const std::vector<SeriesLevel>& levels, const std::vector<SeriesBreak>& breaks);

struct ChangeBar {
  std::string label, title;
  double ratio = 1;  // after over before, greater than 0
};
// Bars to the right for slower entries and to the left for faster ones. The scale is logarithmic, so that twice as fast
// is as long as half as fast. Empty without bars.
std::string ChangeBars(const std::string& name, const std::vector<ChangeBar>& bars);

// `about` is one line about what was compared.
std::string HistoryPage(const History& history, const std::string& about);

}  // namespace hone
