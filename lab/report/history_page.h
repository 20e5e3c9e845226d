// A history as one page, in the frame that ReportPage has, and the charts on it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lab/history/history_forms.h"

namespace hone {

// Charts of times over days and between versions, with titles on their marks. Empty for fewer than two values.

struct SeriesMark {
  double unix_ms = 0;
  double ns = 0, low_ns = 0, high_ns = 0;
  std::string title;
  bool grey = false;  // not counted
};
struct SeriesLevel {
  double from_ms = 0, to_ms = 0, ns = 0;
};
struct SeriesBreak {
  double unix_ms = 0;
  std::string title;
};
// Points with their intervals by date, a horizontal line per level between change points, and a vertical one at each
// change point. The axis begins where the differences are seen.
std::string SeriesChart(const std::string& name, const std::vector<SeriesMark>& marks,
                        const std::vector<SeriesLevel>& levels, const std::vector<SeriesBreak>& breaks);

struct ChangeBar {
  std::string label, title;
  double ratio = 1;  // after over before, greater than 0
};
// Bars to the right for slower entries and to the left for faster ones. The scale is logarithmic, so that twice as fast
// is as long as half as fast.
std::string ChangeBars(const std::string& name, const std::vector<ChangeBar>& bars);

// `about` is one line about what was compared.
std::string HistoryPage(const History& history, const std::string& about);

}  // namespace hone
