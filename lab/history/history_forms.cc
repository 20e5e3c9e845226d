#include "lab/history/history_forms.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <ctime>

#include "core/text/printable.h"
#include "lab/text/number_text.h"
#include "lab/text/table.h"

namespace hone {
namespace {

Json PointJson(const HistoryPoint& point) {
  return {{"unix_ms", point.unix_ms},
          {"ns", point.time.ns},
          {"interval_ns", {point.time.low_ns, point.time.high_ns}},
          {"samples", point.time.samples},
          {"file", point.file},
          {"hone_version", point.with.hone_version},
          {"package_sha256", point.with.package_sha256},
          {"microcode", point.with.microcode},
          {"kernel", point.with.kernel},
          {"noisy", point.why_noisy}};
}

Json SeriesJson(const HistorySeries& series) {
  Json json = {{"model", series.model},
               {"device", series.device},
               {"threads", series.threads},
               {"precision", series.precision},
               {"conditions", series.conditions},
               {"noisy_left_out", series.noisy},
               {"noisy_counted", series.noisy_counted}};
  json["points"] = json["changes"] = Json::array();
  for (const HistoryPoint& point : series.points) json["points"].push_back(PointJson(point));
  for (const HistoryChange& change : series.changes) {
    json["changes"].push_back({{"at", change.at},
                               {"unix_ms", series.points[change.at].unix_ms},
                               {"ratio", change.ratio},
                               {"before_ns", change.before_ns},
                               {"after_ns", change.after_ns},
                               {"p", change.p},
                               {"what", change.what}});
  }
  json["since"] = series.since ? ToJson(*series.since) : Json(nullptr);
  return json;
}

std::string SinceText(const HistorySeries& series, int64_t since_ms) {
  if (!series.since) return fmt::format("  not timed both before and since {}\n", DayText(since_ms));
  const Verdict& v = *series.since;
  return fmt::format("  since {}: {} (99 % interval {:+.1f} .. {:+.1f} %, p {:.3f}): {}\n", DayText(since_ms),
                     ChangeText(v.ratio), 100 * (v.low - 1), 100 * (v.high - 1), v.p, FindingName(v.finding));
}

std::string NoisyText(const HistorySeries& series) {
  if (series.noisy > 0) return fmt::format(", {} noisy ones left out", series.noisy);
  if (series.noisy_counted == 0) return "";
  return fmt::format(", {} of them noisy; they count, because this machine is seldom quiet", series.noisy_counted);
}

std::string SeriesText(const HistorySeries& series, int64_t since_ms) {
  std::string text = fmt::format(
      "{} on {}, {}, {}: {}, {} .. {}{}\n", Printable(series.model), Printable(series.device),
      Counted(series.threads, "thread"), Printable(series.conditions), Counted(series.points.size(), "result"),
      DayText(series.points.front().unix_ms), DayText(series.points.back().unix_ms), NoisyText(series));
  text += SinceText(series, since_ms);
  for (const HistoryChange& change : series.changes) {
    const HistoryPoint& point = series.points[change.at];
    text += fmt::format(
        "  {} from {} on: {} -> {} (p {:.3f}) with {}; {}\n", ChangeText(change.ratio), DayText(point.unix_ms),
        TimeText(change.before_ns), TimeText(change.after_ns), change.p,
        change.what.empty() ? "nothing that is known" : Printable(fmt::format("{}", fmt::join(change.what, ", "))),
        Printable(point.file));
  }
  if (series.changes.empty()) text += "  no change point\n";
  return text;
}

std::string CountsText(const std::vector<RecordDiff>& diffs) {
  std::array<int64_t, 5> counts{};
  for (const RecordDiff& diff : diffs) ++counts.at(static_cast<size_t>(diff.change));
  std::string text;
  for (size_t i = 0; i < counts.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", counts.at(i), RecordChangeName(static_cast<RecordChange>(i)));
  }
  return text;
}

}  // namespace

Json ToJson(const History& history) {
  Json json = {{"format", "hone-history"}, {"version", kHistoryVersion}, {"since_unix_ms", history.since_ms}};
  json["series"] = Json::array();
  for (const HistorySeries& series : history.series) json["series"].push_back(SeriesJson(series));
  json["diffs"] = DiffsJson(history.diffs);
  return json;
}

std::string HistoryText(const History& history, size_t columns) {
  std::string text;
  for (const HistorySeries& series : history.series) text += SeriesText(series, history.since_ms);
  if (!history.diffs.empty()) {
    text +=
        fmt::format("the best before {} and since:\n{}", DayText(history.since_ms), DiffsText(history.diffs, columns));
  }
  return text;
}

std::string DayText(int64_t unix_ms) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(unix_ms / 1000)));
}

std::string ChangeText(double ratio) {
  if (std::abs(ratio - 1) < 0.0005) return "no change";
  return ratio > 1 ? fmt::format("{:.1f} % slower", 100 * (ratio - 1))
                   : fmt::format("{:.1f} % faster", 100 * (1 - ratio));
}

Json DiffsJson(const std::vector<RecordDiff>& diffs) {
  Json list = Json::array();
  for (const RecordDiff& diff : diffs) {
    list.push_back({{"change", RecordChangeName(diff.change)},
                    {"workload", diff.workload},
                    {"device", diff.device},
                    {"threads", diff.threads},
                    {"before_ns", diff.before_ns},
                    {"after_ns", diff.after_ns},
                    {"p", diff.p},
                    {"before", diff.before},
                    {"after", diff.after},
                    {"what", diff.what}});
  }
  return list;
}

std::string DiffsText(const std::vector<RecordDiff>& diffs, size_t columns) {
  Table table({"change", "> before", "> after", "> p", "device", "> threads", "workload", "with"});
  for (const RecordDiff& diff : diffs) {
    if (diff.change == RecordChange::kSame) continue;
    table.Add({std::string(RecordChangeName(diff.change)), TimeText(diff.before_ns), TimeText(diff.after_ns),
               diff.before_ns > 0 && diff.after_ns > 0 ? fmt::format("{:.3f}", diff.p) : "", diff.device,
               fmt::format("{}", diff.threads), diff.workload, fmt::format("{}", fmt::join(diff.what, ", "))});
  }
  return (table.empty() ? "" : table.ToText(columns)) + CountsText(diffs) + "\n";
}

}  // namespace hone
