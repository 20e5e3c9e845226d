#include "lab/report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "lab/machine/device_name.h"
#include "lab/records/best_records.h"
#include "lab/report/chart.h"
#include "lab/report/page.h"
#include "lab/text/number_text.h"

namespace hone {
namespace {

constexpr double kNsOfMs = 1e6;

// The least and the greatest positive value; zeros if there is none.
std::pair<double, double> PositiveRange(const std::vector<double>& values) {
  double least = 0, most = 0;
  for (const double value : values) {
    if (!(value > 0)) continue;
    least = least > 0 ? std::min(least, value) : value;
    most = std::max(most, value);
  }
  return {least, most};
}

}  // namespace

std::string LatencyChart(const std::string& name, const std::vector<TimeMark>& marks) {
  // Intervals are seen whole unless they are far longer than the times, so that none hides the differences.
  constexpr double kMargin = 0.1, kLeastMargin = 0.02, kMostReach = 1.25;
  double least = INFINITY, most = 0, low = INFINITY, high = 0;
  Chart chart{name, {"time per run, ms", false, false, {}}, {}, {}, false};
  for (const TimeMark& mark : marks) {
    const double ms = static_cast<double>(mark.ns) / kNsOfMs;
    least = std::min(least, ms);
    most = std::max(most, ms);
    const auto row = static_cast<double>(chart.y.labels.size());
    chart.y.labels.push_back(mark.label);
    ChartPoint point{ms, row, mark.title, {}, {}};
    if (mark.high_ns > 0) {
      point.low = static_cast<double>(mark.low_ns) / kNsOfMs;
      point.high = static_cast<double>(mark.high_ns) / kNsOfMs;
      low = std::min(low, *point.low);
      high = std::max(high, *point.high);
    }
    chart.series.push_back({mark.label, mark.series, mark.grey, ChartSeries::Style::kPoints, {std::move(point)}});
  }
  least = std::min(least, std::max(low, least / kMostReach));
  most = std::max(most, std::min(high, most * kMostReach));
  const double margin = std::max(kMargin * (most - least), kLeastMargin * most);
  chart.x.least = std::max(0.0, least - margin);
  chart.x.most = most + margin;
  return HtmlChart(chart);
}

std::string RooflineChart(const std::string& name, const std::vector<RooflineMachine>& machines) {
  std::vector<double> xs, ys;
  for (const RooflineMachine& machine : machines) {
    for (const auto& point : machine.points) {
      xs.push_back(point.flops_per_byte);
      ys.push_back(point.gflops);
    }
    ys.push_back(machine.gflops);
    if (machine.read_gbps > 0) xs.push_back(machine.gflops / machine.read_gbps);
  }
  const auto [x_least, x_most] = PositiveRange(xs);
  const auto [y_least, y_most] = PositiveRange(ys);
  if (x_most <= 0 || y_most <= 0) return "";
  // A margin on both sides, so that no mark lies on the frame.
  constexpr double kMargin = 1.5;
  const double first_x = x_least / kMargin, last_x = x_most * kMargin, first_y = y_least / kMargin;
  Chart chart{name,
              {"arithmetic intensity, FLOP per byte", true, false, {}, first_x, last_x},
              {"GFLOP/s", true, false, {}, first_y, y_most * kMargin},
              {},
              true};
  for (const RooflineMachine& machine : machines) {
    ChartSeries layers{machine.label, machine.series, false, ChartSeries::Style::kPoints, {}};
    for (const auto& point : machine.points) {
      layers.points.push_back({point.flops_per_byte, point.gflops, point.title});
    }
    chart.series.push_back(std::move(layers));
    if (machine.gflops <= 0 || machine.read_gbps <= 0) continue;
    // The arithmetic intensities at which the memory roof enters the chart, and at which it meets the other one.
    const double enters = std::max(first_x, first_y / machine.read_gbps), meets = machine.gflops / machine.read_gbps;
    const std::string title =
        fmt::format("{}: {:.0f} GFLOP/s, {:.1f} GB/s", machine.label, machine.gflops, machine.read_gbps);
    chart.series.push_back({"roof of " + machine.label,
                            machine.series,
                            false,
                            ChartSeries::Style::kDashed,
                            {{enters, enters * machine.read_gbps, title},
                             {meets, machine.gflops, title},
                             {last_x, machine.gflops, title}}});
  }
  return HtmlChart(chart);
}

std::string HeatTable(const std::string& name, const std::vector<std::string>& labels,
                      const std::vector<std::vector<HeatCell>>& cells) {
  if (labels.size() < 2) return "";
  std::string html = fmt::format("<tr><th scope=\"col\">{}</th>", "configurations of");
  for (const std::string& label : labels) html += fmt::format("<th scope=\"col\">on {}</th>", Escaped(label));
  html += "</tr></thead><tbody>";
  for (size_t row = 0; row < cells.size(); ++row) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", Escaped(labels[row]));
    for (const HeatCell& cell : cells[row]) {
      const int shade = cell.value ? static_cast<int>(std::lround(10 * std::clamp(*cell.value, 0.0, 1.0))) : -1;
      const std::string css = shade < 0 ? "unknown" : fmt::format("h{}", shade);
      html += fmt::format("<td class=\"cell {}\"><b>{}</b>{}</td>", css,
                          cell.value ? fmt::format("{:.0f} %", 100 * *cell.value) : "not known",
                          cell.title.empty() ? "" : fmt::format("<small>{}</small>", Escaped(cell.title)));
    }
    html += "</tr>\n";
  }
  return fmt::format(
      "<figure><figcaption>{0}</figcaption><div class=\"wide heat\" role=\"group\" tabindex=\"0\" "
      "aria-label=\"{0}\"><table><thead>{1}</tbody></table></div></figure>\n",
      Escaped(name), html);
}

std::string CascadeChart(const std::string& name, const std::vector<CascadeLine>& lines) {
  size_t platforms = 0;
  for (const CascadeLine& line : lines) platforms = std::max(platforms, line.efficiencies.size());
  if (platforms < 3) return "";
  Chart chart{
      name,
      {"number of machines, each one's best first", false, false, {}, 0.8, static_cast<double>(platforms) + 0.2},
      {"efficiency, % of the machine's own best", false, false, {}, {}, 102},
      {},
      true};
  for (size_t i = 0; i < lines.size(); ++i) {
    const int series = static_cast<int>(i);
    std::vector<double> sorted = lines[i].efficiencies;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    ChartSeries steps{lines[i].label, series, false, ChartSeries::Style::kSteps, {}};
    ChartSeries means{"portability so far of " + lines[i].label, series, false, ChartSeries::Style::kDashed, {}};
    double sum = 0;
    for (size_t n = 0; n < sorted.size(); ++n) {
      const auto at = static_cast<double>(n + 1);
      sum += sorted[n] > 0 ? 1 / sorted[n] : INFINITY;
      const std::string title = fmt::format("{}: {:.1f} % on its number {}", lines[i].label, 100 * sorted[n], n + 1);
      steps.points.push_back({at, 100 * sorted[n], title});
      means.points.push_back({at, 100 * at / sum, means.label});
    }
    chart.series.push_back(std::move(steps));
    chart.series.push_back(std::move(means));
  }
  return HtmlChart(chart);
}

std::string HistoryChart(const HistoryForm& form, const std::vector<HistoryLine>& lines) {
  Chart chart{form.name, {form.x_name, false, false, {}, 0, {}}, {form.y_name, form.logarithmic, false, {}}, {}, true};
  for (size_t i = 0; i < lines.size(); ++i) {
    ChartSeries steps{lines[i].label, static_cast<int>(i), false, ChartSeries::Style::kSteps, {}};
    for (const auto& [at, ns] : lines[i].points) {
      steps.points.push_back({at,
                              ns / form.ns_per_unit,
                              fmt::format("{}: {} at {:.4g}", lines[i].label, TimeText(std::llround(ns)), at),
                              {},
                              {}});
    }
    chart.series.push_back(std::move(steps));
  }
  return HtmlChart(chart);
}

namespace {

void Add(const TrialRow& row, TaskHistory& task) {
  if (task.trials == 0) task.first_unix_ms = row.unix_ms;
  task.last_unix_ms = std::max(task.last_unix_ms, row.unix_ms);
  ++task.trials;
  if (row.fate != Fate::kOk || row.noisy || row.min_ns <= 0) return;
  if (!task.steps.empty() && row.min_ns >= task.steps.back().least_ns) return;
  task.steps.push_back({task.trials, std::max<int64_t>(0, row.unix_ms - task.first_unix_ms), row.min_ns});
}

}  // namespace

StoreHistory HistoryOf(const RecordStore& store, const std::set<std::string>& only) {
  StoreHistory history;
  std::unordered_map<std::string, size_t> index;
  std::map<std::string, std::map<std::string, SetupTrials>> workloads;
  store.EachTrial({}, [&](const TrialRow& row) {
    ++history.records;
    const std::string device = MachineName(row);
    ++history.fates[device][row.fate];
    if (!only.empty() && !only.contains(row.workload)) return;
    const std::string setup = SetupKey(row), key = row.workload + "\n" + setup;
    workloads[row.workload][setup].Add(row);
    if (row.held > 0) return;
    const auto [it, is_new] = index.try_emplace(key, history.tasks.size());
    if (is_new) {
      history.tasks.emplace_back();
      history.tasks.back().workload = row.workload;
      history.tasks.back().setup = setup;
      history.tasks.back().device = device;
      history.tasks.back().threads = row.threads;
    }
    Add(row, history.tasks[it->second]);
  });
  for (const auto& [workload, setups] : workloads) {
    const std::vector<BestRow> rows = store.Rows(workload);
    for (const auto& [setup, trials] : setups) {
      const auto task = index.find(workload + "\n" + setup);
      const std::optional<BestRow> best = trials.Best(rows);
      if (task != index.end() && best) history.tasks[task->second].best_ns = best->worth_ns;
    }
  }
  std::stable_sort(history.tasks.begin(), history.tasks.end(),
                   [](const TaskHistory& a, const TaskHistory& b) { return a.trials > b.trials; });
  return history;
}

}  // namespace hone
