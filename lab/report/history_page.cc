#include "lab/report/history_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/version.h"
#include "lab/report/page.h"
#include "lab/report/svg.h"
#include "lab/text/number_text.h"

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

namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr double kMsPerDay = 86'400'000;
constexpr size_t kMostBars = 60;

std::string WithText(const std::vector<std::string>& what) {
  return what.empty() ? "nothing that is known" : fmt::format("{}", fmt::join(what, ", "));
}

double DaysAt(const HistorySeries& series, size_t point) {
  return static_cast<double>(series.points[point].unix_ms - series.points.front().unix_ms) / kMsPerDay;
}

std::string IntervalText(const ComparedTime& time) {
  return fmt::format("{} .. {}", TimeText(time.low_ns), TimeText(time.high_ns));
}

std::vector<SeriesMark> MarksOf(const HistorySeries& series) {
  std::vector<SeriesMark> marks;
  for (size_t i = 0; i < series.points.size(); ++i) {
    const HistoryPoint& point = series.points[i];
    marks.push_back(
        {DaysAt(series, i), static_cast<double>(point.time.ns), static_cast<double>(point.time.low_ns),
         static_cast<double>(point.time.high_ns),
         fmt::format("{}: {} ({}, {} samples), hone {}, {}{}{}", DayText(point.unix_ms), TimeText(point.time.ns),
                     IntervalText(point.time), point.time.samples, point.with.hone_version, point.file,
                     point.why_noisy.empty() ? "" : "; noisy: ", point.why_noisy),
         !point.why_noisy.empty()});
  }
  return marks;
}

// Lines for the levels between change points; none for a series without change points.
std::vector<SeriesLevel> LevelsOf(const HistorySeries& series) {
  std::vector<SeriesLevel> levels;
  for (size_t i = 0; i < series.changes.size(); ++i) {
    const HistoryChange& change = series.changes[i];
    const double at = DaysAt(series, change.at);
    if (i == 0) levels.push_back({0, at, static_cast<double>(change.before_ns)});
    const size_t end = i + 1 < series.changes.size() ? series.changes[i + 1].at : series.points.size() - 1;
    levels.push_back({at, DaysAt(series, end), static_cast<double>(change.after_ns)});
  }
  return levels;
}

std::string SeriesSection(const HistorySeries& series, int64_t since_ms) {
  std::vector<SeriesBreak> breaks;
  Rows changes, points;
  std::vector<bool> grey;
  for (const HistoryChange& change : series.changes) {
    const std::string day = DayText(series.points[change.at].unix_ms);
    breaks.push_back({DaysAt(series, change.at),
                      fmt::format("{}: {} with {}", day, ChangeText(change.ratio), WithText(change.what))});
    changes.push_back({day, ChangeText(change.ratio), TimeText(change.before_ns), TimeText(change.after_ns),
                       fmt::format("{:.3f}", change.p), WithText(change.what), series.points[change.at].file});
  }
  for (const HistoryPoint& point : series.points) {
    grey.push_back(!point.why_noisy.empty());
    points.push_back({DayText(point.unix_ms), TimeText(point.time.ns), IntervalText(point.time),
                      fmt::format("{}", point.time.samples), point.with.hone_version,
                      point.with.package_sha256.substr(0, 12), point.with.microcode, point.with.kernel, point.file,
                      point.why_noisy});
  }
  std::string body =
      SeriesChart(fmt::format("Times of {} on {} by day; the table below has the numbers", series.model, series.device),
                  MarksOf(series), LevelsOf(series), breaks);
  if (series.since) {
    const Verdict& v = *series.since;
    body +=
        HtmlParagraph(fmt::format("Since {}: {} (99 % interval {:+.1f} .. {:+.1f} %): {}.", DayText(since_ms),
                                  ChangeText(v.ratio), 100 * (v.low - 1), 100 * (v.high - 1), FindingName(v.finding)));
  }
  body += changes.empty()
              ? HtmlParagraph("No change point.")
              : HtmlTable("Change points of " + series.model,
                          {"from", "change", "> before", "> after", "> p", "with", "first result"}, changes);
  body += HtmlDetails(fmt::format("{} results", points.size()),
                      HtmlTable("Results of " + series.model,
                                {"day", "> median", "> interval", "> samples", "hone", "package", "microcode", "Linux",
                                 "file", "noise"},
                                points, grey));
  return HtmlSection(
      fmt::format("{} on {}, {} threads, {}", series.model, series.device, series.threads, series.conditions), body);
}

std::string DiffsSection(const std::vector<RecordDiff>& diffs) {
  std::vector<ChangeBar> bars;
  Rows rows;
  for (const RecordDiff& diff : diffs) {
    const std::string change(RecordChangeName(diff.change));
    rows.push_back({change, TimeText(diff.before_ns), TimeText(diff.after_ns),
                    diff.before_ns > 0 && diff.after_ns > 0 ? fmt::format("{:.3f}", diff.p) : "-", diff.workload,
                    diff.device, fmt::format("{}", diff.threads), diff.before, diff.after, WithText(diff.what)});
    if (diff.change != RecordChange::kFaster && diff.change != RecordChange::kSlower) continue;
    if (bars.size() == kMostBars) continue;
    bars.push_back(
        {diff.workload,
         fmt::format("{} on {}, {} threads: {} -> {} (p {:.3f}) with {}", diff.workload, diff.device, diff.threads,
                     TimeText(diff.before_ns), TimeText(diff.after_ns), diff.p, WithText(diff.what)),
         static_cast<double>(diff.after_ns) / static_cast<double>(diff.before_ns)});
  }
  return HtmlSection("Best records",
                     ChangeBars("What became faster and slower; the table below has the numbers", bars) +
                         HtmlTable("Best records",
                                   {"change", "> before", "> after", "> p", "workload", "device", "> threads",
                                    "config before", "config after", "with"},
                                   rows));
}

}  // namespace

std::string HistoryPage(const History& history, const std::string& about) {
  std::string body = HtmlParagraph(fmt::format("{}. Made by hone {}.", about, HoneVersion()));
  for (const HistorySeries& series : history.series) body += SeriesSection(series, history.since_ms);
  if (!history.diffs.empty()) body += DiffsSection(history.diffs);
  return HtmlPage("hone history", body);
}

}  // namespace hone
