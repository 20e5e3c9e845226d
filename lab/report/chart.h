// A chart as plain values, and as HTML that the page's script draws with Chart.js.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hone {

struct ChartPoint {
  double x = 0, y = 0;
  std::string title;                          // shown when the pointer rests on it
  std::optional<double> low = {}, high = {};  // the interval around its value
};

struct ChartSeries {
  enum class Style { kPoints, kSteps, kLine, kDashed, kBars };
  std::string label;
  int colour = 0;     // sets colour and shape, the same in all charts of a page
  bool grey = false;  // not comparable with the others
  Style style = Style::kPoints;
  std::vector<ChartPoint> points;
};

struct ChartAxis {
  std::string name;
  bool logarithmic = false;
  bool is_date = false;                         // values are ms since 1970
  std::vector<std::string> labels = {};         // of a vertical axis whose values are indices of rows
  std::optional<double> least = {}, most = {};  // ends; absent: as the values need
};

// An interval lies along x if the rows have labels, else along y.
struct Chart {
  std::string name;  // its heading, and its text for a screen reader
  ChartAxis x, y;
  std::vector<ChartSeries> series;
  bool has_legend = true;
};

// A figure with a heading, a legend whose buttons hide and show series, and the chart. Empty for fewer than two points,
// because one value is no chart.
std::string HtmlChart(const Chart& chart);

}  // namespace hone
