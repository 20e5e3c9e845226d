#include "lab/report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "lab/machine/device_name.h"
#include "lab/report/svg.h"
#include "lab/text/number_text.h"

namespace hone {
namespace {

constexpr double kRow = 24;
constexpr size_t kMostLabel = 40;

std::string Cut(const std::string& text, size_t most = kMostLabel) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

std::string Series(int number) { return fmt::format("s{}", number % 8); }

// The legend of a chart, with a row per series.
std::string Legend(double y, const std::vector<std::pair<int, std::string>>& series) {
  std::string parts;
  for (size_t i = 0; i < series.size(); ++i) {
    const double at = y + 18 * static_cast<double>(i);
    parts +=
        SvgPoint(66, at - 4, series[i].first, Series(series[i].first), "") + SvgText(78, at, Cut(series[i].second, 90));
  }
  return parts;
}

std::pair<double, double> PositiveRange(const std::vector<double>& values) {
  double least = 0, most = 0;
  for (const double value : values) {
    if (!(value > 0)) continue;
    least = least > 0 ? std::min(least, value) : value;
    most = std::max(most, value);
  }
  return {least, most};
}

// The CSS class of text on a cell of the heat map, whose colours are the same on a light page and a dark one.
const char* TextOn(int shade) {
  constexpr int kFirstDark = 7;
  if (shade < 0) return "";
  return shade < kFirstDark ? "onlight" : "ondark";
}

// A range of a factor of two beyond the values on both sides, so that no mark lies on the frame.
Scale LogScale(const std::vector<double>& values, double from, double to) {
  const auto [least, most] = PositiveRange(values);
  return {least > 0 ? least / 2 : 0.1, most > 0 ? most * 2 : 1, from, to, true};
}

}  // namespace

std::string LatencyChart(const std::string& name, const std::vector<BarOfTime>& bars) {
  if (bars.empty()) return "";
  constexpr double kLeft = 270, kTop = 10;
  double most = 0;
  for (const BarOfTime& bar : bars)
    most = std::max({most, static_cast<double>(bar.ns), static_cast<double>(bar.high_ns)});
  const double bottom = kTop + kRow * static_cast<double>(bars.size());
  const Scale x{0, most / 1e6 * 1.08, kLeft, kChartWidth - 70, false};
  std::string parts = SvgBottomAxis(x, bottom, kTop, "ms a run");
  double y = kTop;
  for (const BarOfTime& bar : bars) {
    const double end = x.At(static_cast<double>(bar.ns) / 1e6);
    const double low = x.At(static_cast<double>(bar.low_ns) / 1e6), high = x.At(static_cast<double>(bar.high_ns) / 1e6);
    parts += SvgBar(kLeft, y + 4, end - kLeft, kRow - 8, bar.grey ? "grey" : Series(bar.series), bar.title);
    if (bar.high_ns > 0) {
      // The halo separates the interval from its bar, which may be as dark.
      parts += SvgLine(low, y + 12, high, y + 12, "halo") + SvgLine(low, y + 12, high, y + 12, "interval") +
               SvgLine(high, y + 8, high, y + 16, "interval");
    }
    parts += SvgText(kLeft - 6, y + 16, Cut(bar.label), Anchoring::kEnd) +
             SvgText(std::max(end, high) + 5, y + 16, TimeText(bar.ns), Anchoring::kStart, "value");
    y += kRow;
  }
  return SvgPicture(kChartWidth, bottom + 40, name, parts);
}

std::string RooflineChart(const std::string& name, const std::vector<RooflineMachine>& machines) {
  constexpr double kLeft = 60, kTop = 30, kBottom = 340;
  std::vector<double> xs, ys;
  for (const RooflineMachine& machine : machines) {
    for (const auto& point : machine.points) {
      xs.push_back(point.flops_per_byte);
      ys.push_back(point.gflops);
    }
    ys.push_back(machine.gflops);
    if (machine.read_gbps > 0) xs.push_back(machine.gflops / machine.read_gbps);
  }
  if (PositiveRange(xs).second <= 0) return "";
  const Scale x = LogScale(xs, kLeft, kChartWidth - 20), y = LogScale(ys, kBottom, kTop);
  std::string parts =
      SvgBottomAxis(x, kBottom, kTop, "flop per byte") + SvgLeftAxis(y, kLeft, kChartWidth - 20, "GFLOP/s");
  std::vector<std::pair<int, std::string>> legend;
  for (const RooflineMachine& machine : machines) {
    legend.emplace_back(machine.series, machine.label);
    if (machine.gflops > 0 && machine.read_gbps > 0) {
      // The arithmetic intensity at which the memory roof enters the chart.
      const double enters = std::max(x.least, y.least / machine.read_gbps);
      parts += SvgPath({{x.At(enters), y.At(enters * machine.read_gbps)},
                        {x.At(machine.gflops / machine.read_gbps), y.At(machine.gflops)},
                        {x.At(x.most), y.At(machine.gflops)}},
                       "roof l" + Series(machine.series), machine.label);
    }
    for (const auto& point : machine.points) {
      parts +=
          SvgPoint(x.At(point.flops_per_byte), y.At(point.gflops), machine.series, Series(machine.series), point.title);
    }
  }
  parts += Legend(kBottom + 56, legend);
  return SvgPicture(kChartWidth, kBottom + 56 + 18 * static_cast<double>(legend.size()), name, parts);
}

std::string HeatMap(const std::string& name, const std::vector<std::string>& labels,
                    const std::vector<std::vector<HeatCell>>& cells) {
  if (labels.size() < 2) return "";
  constexpr double kLeft = 270, kTop = 40, kCell = 60, kHigh = 34;
  std::string parts;
  for (size_t row = 0; row < labels.size(); ++row) {
    const double y = kTop + kHigh * static_cast<double>(row);
    parts += SvgText(kLeft - 6, y + 21, fmt::format("{}: {}", row + 1, Cut(labels[row], 36)), Anchoring::kEnd);
    parts += SvgText(kLeft + kCell * (static_cast<double>(row) + 0.5), kTop - 8, fmt::format("on {}", row + 1),
                     Anchoring::kMiddle, "tick");
    for (size_t column = 0; column < labels.size(); ++column) {
      const auto& [value, title] = cells[row][column];
      const double x = kLeft + kCell * static_cast<double>(column);
      const int shade = value ? static_cast<int>(std::lround(std::clamp(*value, 0.0, 1.0) * 10)) : -1;
      const std::string text = value ? fmt::format("{:.0f} %", 100 * *value) : "-";
      parts += SvgBar(x + 1, y + 1, kCell - 2, kHigh - 2, shade < 0 ? "cell unknown" : fmt::format("cell h{}", shade),
                      fmt::format("configurations of {} on {}: {}{}{}", labels[row], labels[column],
                                  value ? text : "not known", title.empty() ? "" : "; ", title));
      parts += SvgText(x + kCell / 2, y + 21, text, Anchoring::kMiddle, TextOn(shade));
    }
  }
  return SvgPicture(kChartWidth, kTop + kHigh * static_cast<double>(labels.size()) + 10, name, parts);
}

std::string CascadeChart(const std::string& name, const std::vector<CascadeLine>& lines) {
  constexpr double kLeft = 60, kTop = 30, kBottom = 260;
  size_t platforms = 0;
  for (const CascadeLine& line : lines) platforms = std::max(platforms, line.efficiencies.size());
  if (platforms < 2) return "";
  const Scale x{1, static_cast<double>(platforms), kLeft + 20, kChartWidth - 40, false}, y{0, 1, kBottom, kTop, false};
  std::string parts = SvgLeftAxis(y, kLeft, kChartWidth - 20, "efficiency") +
                      SvgText(kChartWidth / 2, kBottom + 32, "platforms, the best first", Anchoring::kMiddle, "name");
  for (size_t i = 1; i <= platforms; ++i) {
    parts += SvgText(x.At(static_cast<double>(i)), kBottom + 15, fmt::format("{}", i), Anchoring::kMiddle, "tick");
  }
  std::vector<std::pair<int, std::string>> legend;
  for (size_t i = 0; i < lines.size(); ++i) {
    const int series = static_cast<int>(i);
    legend.emplace_back(series, lines[i].label);
    std::vector<double> sorted = lines[i].efficiencies;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    std::vector<std::pair<double, double>> steps, means;
    double sum = 0;
    for (size_t n = 0; n < sorted.size(); ++n) {
      const double at = x.At(static_cast<double>(n + 1));
      sum += sorted[n] > 0 ? 1 / sorted[n] : INFINITY;
      steps.emplace_back(at, y.At(sorted[n]));
      means.emplace_back(at, y.At(static_cast<double>(n + 1) / sum));
      parts += SvgPoint(at, y.At(sorted[n]), series, Series(series),
                        fmt::format("{}: {:.3f} on its number {}", lines[i].label, sorted[n], n + 1));
    }
    parts += SvgPath(steps, "line l" + Series(series), lines[i].label) +
             SvgPath(means, "roof l" + Series(series), lines[i].label + ": portability so far");
  }
  parts += Legend(kBottom + 56, legend);
  return SvgPicture(kChartWidth, kBottom + 56 + 18 * static_cast<double>(legend.size()), name, parts);
}

std::string HistoryChart(const std::string& name, const std::string& x_name, const std::vector<HistoryLine>& lines) {
  constexpr double kLeft = 60, kTop = 30, kBottom = 300;
  double most = 0;
  std::vector<double> ys;
  for (const HistoryLine& line : lines) {
    for (const auto& [at, ns] : line.points) {
      most = std::max(most, at);
      ys.push_back(ns / 1e3);
    }
  }
  if (ys.empty()) return "";
  const Scale x{0, std::max(most, 1.0), kLeft, kChartWidth - 20, false};
  const Scale y = LogScale(ys, kBottom, kTop);
  std::string parts =
      SvgBottomAxis(x, kBottom, kTop, x_name) + SvgLeftAxis(y, kLeft, kChartWidth - 20, "best so far, us");
  std::vector<std::pair<int, std::string>> legend;
  for (size_t i = 0; i < lines.size(); ++i) {
    const int series = static_cast<int>(i);
    legend.emplace_back(series, lines[i].label);
    std::vector<std::pair<double, double>> steps;
    for (const auto& [at, ns] : lines[i].points) {
      if (!steps.empty()) steps.emplace_back(x.At(at), steps.back().second);
      steps.emplace_back(x.At(at), y.At(ns / 1e3));
      parts += SvgPoint(x.At(at), y.At(ns / 1e3), series, Series(series),
                        fmt::format("{}: {} at {}", lines[i].label, TimeText(std::llround(ns)), TickText(at)));
    }
    parts += SvgPath(steps, "line l" + Series(series), lines[i].label);
  }
  parts += Legend(kBottom + 56, legend);
  return SvgPicture(kChartWidth, kBottom + 56 + 18 * static_cast<double>(legend.size()), name, parts);
}

namespace {

void Add(const TrialRow& row, TaskHistory& task) {
  if (task.trials == 0) task.first_unix_ms = row.unix_ms;
  task.last_unix_ms = std::max(task.last_unix_ms, row.unix_ms);
  ++task.trials;
  if (row.fate != Fate::kOk || row.noisy || row.min_ns <= 0) return;
  if (task.best_ns > 0 && row.min_ns >= task.best_ns) return;
  task.best_ns = row.min_ns;
  task.steps.push_back({task.trials, std::max<int64_t>(0, row.unix_ms - task.first_unix_ms), row.min_ns});
}

}  // namespace

StoreHistory HistoryOf(const RecordStore& store, const std::set<std::string>& only) {
  StoreHistory history;
  std::unordered_map<std::string, size_t> index;
  store.EachTrial({}, [&](const TrialRow& row) {
    ++history.records;
    const std::string device = MachineName(row);
    ++history.fates[device][row.fate];
    if (row.held > 0 || (!only.empty() && !only.contains(row.workload))) return;
    const std::string key = fmt::format("{}\n{}\n{}", row.workload, device, row.threads);
    const auto [it, is_new] = index.try_emplace(key, history.tasks.size());
    if (is_new) {
      history.tasks.emplace_back();
      history.tasks.back().workload = row.workload;
      history.tasks.back().device = device;
      history.tasks.back().threads = row.threads;
    }
    Add(row, history.tasks[it->second]);
  });
  std::stable_sort(history.tasks.begin(), history.tasks.end(),
                   [](const TaskHistory& a, const TaskHistory& b) { return a.trials > b.trials; });
  return history;
}

}  // namespace hone
