#include "lab/report/history_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/text/printable.h"
#include "core/version.h"
#include "lab/report/chart.h"
#include "lab/report/page.h"
#include "lab/text/number_text.h"

namespace hone {
namespace {

double Milliseconds(double ns) { return ns / 1e6; }

}  // namespace

std::string SeriesChart(const std::string& name, const std::vector<SeriesMark>& marks,
                        const std::vector<SeriesLevel>& levels, const std::vector<SeriesBreak>& breaks) {
  Chart chart{name, {"", false, true, {}}, {"time per run, ms", false, false, {}}, {}, true};
  ChartSeries counted{"results", 0, false, ChartSeries::Style::kPoints, {}};
  ChartSeries noisy{"noisy results, left out", 1, true, ChartSeries::Style::kPoints, {}};
  // An interval that reaches further ends in an arrow, so that it does not hide the differences.
  constexpr double kMostReach = 1.5;
  double least = INFINITY, most = 0;
  for (const SeriesMark& mark : marks) {
    least = std::min(least, mark.low_ns > 0 ? std::max(mark.low_ns, mark.ns / kMostReach) : mark.ns);
    most = std::max({most, mark.ns, std::min(mark.high_ns, mark.ns * kMostReach)});
    (mark.grey ? noisy : counted)
        .points.push_back(
            {mark.unix_ms, Milliseconds(mark.ns), mark.title, Milliseconds(mark.low_ns), Milliseconds(mark.high_ns)});
  }
  chart.y.least = Milliseconds(least - 0.05 * (most - least));
  chart.y.most = Milliseconds(most + 0.05 * (most - least));
  for (ChartSeries* series : {&counted, &noisy}) {
    if (!series->points.empty()) chart.series.push_back(std::move(*series));
  }
  for (const SeriesLevel& level : levels) {
    const double ms = Milliseconds(level.ns);
    chart.series.push_back({fmt::format("level of {}", TimeText(std::llround(level.ns))),
                            2,
                            false,
                            ChartSeries::Style::kLine,
                            {{level.from_ms, ms, ""}, {level.to_ms, ms, ""}}});
  }
  for (const SeriesBreak& at : breaks) {
    chart.series.push_back({at.title,
                            5,
                            false,
                            ChartSeries::Style::kDashed,
                            {{at.unix_ms, Milliseconds(least), at.title}, {at.unix_ms, Milliseconds(most), at.title}}});
  }
  return HtmlChart(chart);
}

std::string ChangeBars(const std::string& name, const std::vector<ChangeBar>& bars) {
  Chart chart{name, {"time after / time before", true, false, {}}, {}, {}, true};
  ChartSeries faster{"faster", 2, false, ChartSeries::Style::kBars, {}};
  ChartSeries slower{"slower", 5, false, ChartSeries::Style::kBars, {}};
  for (const ChangeBar& bar : bars) {
    const auto row = static_cast<double>(chart.y.labels.size());
    chart.y.labels.push_back(bar.label);
    (bar.ratio > 1 ? slower : faster).points.push_back({bar.ratio, row, bar.title});
  }
  for (ChartSeries* series : {&faster, &slower}) {
    if (!series->points.empty()) chart.series.push_back(std::move(*series));
  }
  return HtmlChart(chart);
}

namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr size_t kMostBars = 60;

std::string WithText(const std::vector<std::string>& what) {
  return what.empty() ? "nothing that is known" : fmt::format("{}", fmt::join(what, ", "));
}

double TimeAt(const HistorySeries& series, size_t point) { return static_cast<double>(series.points[point].unix_ms); }

std::string IntervalText(const ComparedTime& time) {
  return fmt::format("{} .. {}", TimeText(time.low_ns), TimeText(time.high_ns));
}

std::vector<SeriesMark> MarksOf(const HistorySeries& series) {
  std::vector<SeriesMark> marks;
  for (size_t i = 0; i < series.points.size(); ++i) {
    const HistoryPoint& point = series.points[i];
    marks.push_back(
        {TimeAt(series, i), static_cast<double>(point.time.ns), static_cast<double>(point.time.low_ns),
         static_cast<double>(point.time.high_ns),
         fmt::format("{}: {} ({}, {}), hone {}, {}{}{}", DayText(point.unix_ms), TimeText(point.time.ns),
                     IntervalText(point.time), Counted(point.time.samples, "sample"), point.with.hone_version,
                     point.file, point.why_noisy.empty() ? "" : "; noisy: ", point.why_noisy),
         !point.why_noisy.empty()});
  }
  return marks;
}

// Lines for the levels between change points; none for a series without change points.
std::vector<SeriesLevel> LevelsOf(const HistorySeries& series) {
  std::vector<SeriesLevel> levels;
  for (size_t i = 0; i < series.changes.size(); ++i) {
    const HistoryChange& change = series.changes[i];
    const double at = TimeAt(series, change.at);
    if (i == 0) levels.push_back({TimeAt(series, 0), at, static_cast<double>(change.before_ns)});
    const size_t end = i + 1 < series.changes.size() ? series.changes[i + 1].at : series.points.size() - 1;
    levels.push_back({at, TimeAt(series, end), static_cast<double>(change.after_ns)});
  }
  return levels;
}

std::string SeriesSection(const HistorySeries& series, int64_t since_ms) {
  std::vector<SeriesBreak> breaks;
  Rows changes, points;
  std::vector<bool> grey;
  for (const HistoryChange& change : series.changes) {
    const std::string day = DayText(series.points[change.at].unix_ms);
    breaks.push_back({TimeAt(series, change.at),
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
  std::string body = HtmlCharts(SeriesChart(fmt::format("Times of {} on {} by day", series.model, series.device),
                                            MarksOf(series), LevelsOf(series), breaks));
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
  body += HtmlDetails(Counted(points.size(), "result"), HtmlTable("Results of " + series.model,
                                                                  {"day", "> median", "> interval", "> samples", "hone",
                                                                   "package", "microcode", "Linux", "file", "noise"},
                                                                  points, grey));
  return HtmlSection(fmt::format("{} on {}, {}, {}", series.model, series.device, Counted(series.threads, "thread"),
                                 series.conditions),
                     body);
}

// After over before, both known.
double RatioOf(const RecordDiff& diff) {
  return static_cast<double>(diff.after_ns) / static_cast<double>(diff.before_ns);
}

std::string DiffsSection(const std::vector<RecordDiff>& diffs) {
  std::vector<ChangeBar> bars;
  Rows rows;
  for (const RecordDiff& diff : diffs) {
    const std::string change(RecordChangeName(diff.change));
    rows.push_back({change, TimeText(diff.before_ns), TimeText(diff.after_ns),
                    diff.before_ns > 0 && diff.after_ns > 0 ? ChangeText(RatioOf(diff)) : "-",
                    diff.before_ns > 0 && diff.after_ns > 0 ? fmt::format("{:.3f}", diff.p) : "-", diff.workload,
                    diff.device, fmt::format("{}", diff.threads), diff.before, diff.after, WithText(diff.what)});
    if (diff.change != RecordChange::kFaster && diff.change != RecordChange::kSlower) continue;
    if (bars.size() == kMostBars) continue;
    bars.push_back({diff.workload,
                    fmt::format("{} on {}, {}: {} -> {} (p {:.3f}) with {}", diff.workload, diff.device,
                                Counted(diff.threads, "thread"), TimeText(diff.before_ns), TimeText(diff.after_ns),
                                diff.p, WithText(diff.what)),
                    RatioOf(diff)});
  }
  return HtmlSection("Best records", HtmlCharts(ChangeBars("What became faster and slower", bars)) +
                                         HtmlTable("Best records",
                                                   {"= verdict", "> before", "> after", "> change", "> p", "workload",
                                                    "device", "> threads", "config before", "config after", "with"},
                                                   rows));
}

}  // namespace

std::string HistoryPage(const History& history, const std::string& about) {
  std::string body;
  for (const HistorySeries& series : history.series) body += SeriesSection(series, history.since_ms);
  if (!history.diffs.empty()) body += DiffsSection(history.diffs);
  return HtmlPage("hone history", fmt::format("{}. Made by hone {}.", about, HoneVersion()), body);
}

}  // namespace hone
