#include "lab/report/history_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/svg.h"

namespace hone {
namespace {

constexpr const char* kSeries = "s0";
constexpr double kNsPerMs = 1e6;

double Milliseconds(double ns) { return ns / kNsPerMs; }

// The bar's value.
std::string PercentText(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }

}  // namespace

std::string SeriesChart(const std::string& name, const std::vector<SeriesMark>& marks,
                        const std::vector<SeriesLevel>& levels, const std::vector<SeriesBreak>& breaks) {
  if (marks.empty()) return "";
  constexpr double kLeft = 60, kTop = 30, kBottom = 240;
  double days = 0, most = 0;
  for (const SeriesMark& mark : marks) {
    days = std::max(days, mark.day);
    most = std::max({most, mark.ns, mark.high_ns});
  }
  const Scale x{0, std::max(days, 1e-3), kLeft + 10, kChartWidth - 20, false};
  const Scale y{0, Milliseconds(most) * 1.08, kBottom, kTop, false};
  std::string parts = SvgBottomAxis(x, kBottom, kTop, "days since the first result") +
                      SvgLeftAxis(y, kLeft, kChartWidth - 20, "ms a run");
  for (const SeriesBreak& at : breaks) {
    parts += SvgPath({{x.At(at.day), kTop}, {x.At(at.day), kBottom}}, "roof ls5", at.title);
  }
  for (const SeriesLevel& level : levels) {
    const double at = y.At(Milliseconds(level.ns));
    parts += SvgPath({{x.At(level.from_day), at}, {x.At(level.to_day), at}}, "line ls2", "");
  }
  for (const SeriesMark& mark : marks) {
    const double at = x.At(mark.day);
    parts += SvgLine(at, y.At(Milliseconds(mark.low_ns)), at, y.At(Milliseconds(mark.high_ns)), "interval") +
             SvgPoint(at, y.At(Milliseconds(mark.ns)), mark.grey ? 1 : 0, mark.grey ? "grey" : kSeries, mark.title);
  }
  return SvgPicture(kChartWidth, kBottom + 40, name, parts);
}

std::string ChangeBars(const std::string& name, const std::vector<ChangeBar>& bars) {
  if (bars.empty()) return "";
  constexpr double kLeft = 330, kTop = 24, kRow = 22, kLeast = 1.05;
  constexpr size_t kMostLabel = 46;
  double most = kLeast;
  for (const ChangeBar& bar : bars) most = std::max({most, bar.ratio, 1 / bar.ratio});
  const Scale x{1 / most, most, kLeft, kChartWidth - 70, true};
  const double bottom = kTop + kRow * static_cast<double>(bars.size()), middle = x.At(1);
  std::string parts = SvgLine(middle, kTop, middle, bottom, "axis") +
                      SvgText(middle - 6, kTop - 8, "faster", Anchoring::kEnd, "name") +
                      SvgText(middle + 6, kTop - 8, "slower", Anchoring::kStart, "name");
  double y = kTop;
  for (const ChangeBar& bar : bars) {
    const double end = x.At(bar.ratio);
    const std::string label = bar.label.size() <= kMostLabel ? bar.label : bar.label.substr(0, kMostLabel - 3) + "...";
    parts +=
        SvgBar(std::min(end, middle), y + 3, std::abs(end - middle), kRow - 6, bar.ratio > 1 ? "s5" : "s2", bar.title) +
        SvgText(kLeft - 6, y + 15, label, Anchoring::kEnd) +
        SvgText(std::max(end, middle) + 5, y + 15, PercentText(bar.ratio), Anchoring::kStart, "value");
    y += kRow;
  }
  return SvgPicture(kChartWidth, bottom + 10, name, parts);
}

}  // namespace hone
