#include "lab/report/report_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/version.h"
#include "lab/comparison/comparison_text.h"
#include "lab/report/charts.h"
#include "lab/report/page.h"
#include "lab/text/number_text.h"

namespace hone {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr size_t kMostHistories = 8;   // lines of a chart
constexpr size_t kMostTaskRows = 400;  // rows of the task table

std::string TimeTitle(const ComparedTime& time) {
  return fmt::format("{} ({} to {}, {} samples)", TimeText(time.ns), TimeText(time.low_ns), TimeText(time.high_ns),
                     time.samples);
}

std::string CellTitle(const Comparison& c, size_t device, size_t model) {
  const ComparedDevice& d = c.devices[device];
  const ComparedCell& cell = c.At(device, model);
  return fmt::format("{} on {}: {}; {} threads, {}, {}, cache {}, hone {}", c.models[model].name, d.name,
                     TimeTitle(cell.time), d.threads, cell.precision, TimeOriginName(cell.origin), d.cache,
                     fmt::join(cell.versions, "/"));
}

std::string Latencies(const ComparisonReport& report, size_t model) {
  const Comparison& c = report.comparison;
  const std::vector<Standing> standings = StandingsOf(c, model, report.accepted);
  std::vector<BarOfTime> bars;
  Rows rows;
  std::vector<bool> grey;
  for (size_t device = 0; device < c.devices.size(); ++device) {
    const ComparedDevice& d = c.devices[device];
    const ComparedCell& cell = c.At(device, model);
    const Standing& standing = standings[device];
    if (cell.time.ns <= 0) continue;
    grey.push_back(standing.ratio <= 0);
    bars.push_back({fmt::format("{}, {} threads", ShortName(c, device), d.threads), CellTitle(c, device, model),
                    cell.time.ns, cell.time.low_ns, cell.time.high_ns, static_cast<int>(device), grey.back()});
    const double images = ImagesPerMoney(d, c.models[model], cell);
    rows.push_back({d.name, d.target.cpu, fmt::format("{}", d.threads), cell.precision, TimeText(cell.time.ns),
                    fmt::format("{} .. {}", TimeText(cell.time.low_ns), TimeText(cell.time.high_ns)),
                    fmt::format("{}", cell.time.samples), fmt::format("{:.1f}", GflopsOf(cell.flops, cell.time.ns)),
                    ShareText(FmaShare(d.roofs, cell.flops, cell.time.ns)),
                    ShareText(BandwidthShare(d.roofs, cell.bytes, cell.time.ns)),
                    fmt::format("{} of {}", cell.covered, cell.tasks), TimeText(cell.estimated_ns),
                    JoulesText(cell.joules_per_image), images > 0 ? fmt::format("{:.0f}", images) : "-",
                    standing.ratio > 0 ? fmt::format("{:.2f}x", standing.ratio) : "-",
                    StandingText(c, device, model, standing)});
  }
  if (rows.empty()) return HtmlParagraph("No device has a time for it.");
  return LatencyChart(
             fmt::format("Time of a run of {} on each device; the table below has the numbers", c.models[model].name),
             bars) +
         HtmlTable("Times of " + c.models[model].name,
                   {"device", "code for", "> threads", "precision", "> time", "> interval", "> samples", "> GFLOP/s",
                    "> of FMA", "> of memory", "> timed", "> estimated", "> J an image", "> images per money",
                    "> vs best", "note"},
                   rows, grey);
}

std::string Roofline(const ComparisonReport& report, size_t model) {
  const Comparison& c = report.comparison;
  std::vector<RooflineMachine> machines;
  for (size_t device = 0; device < c.devices.size(); ++device) {
    const ComparedDevice& d = c.devices[device];
    RooflineMachine machine{d.name, static_cast<int>(device), d.roofs.gflops, d.roofs.read_gbps, {}};
    for (const ComparedLayer& layer : c.At(device, model).layers) {
      if (layer.time.ns <= 0 || layer.flops <= 0 || layer.bytes <= 0) continue;
      machine.points.push_back({layer.flops / layer.bytes, GflopsOf(layer.flops, layer.time.ns),
                                fmt::format("{} on {}: {}", layer.name, d.name, TimeTitle(layer.time))});
    }
    if (!machine.points.empty()) machines.push_back(std::move(machine));
  }
  return RooflineChart(
      fmt::format("Roofline: every layer of {} with knobs on every device; the tables of layers have the numbers",
                  c.models[model].name),
      machines);
}

std::string LayerTables(const Comparison& c, size_t model) {
  std::string html;
  for (size_t device = 0; device < c.devices.size(); ++device) {
    const ComparedDevice& d = c.devices[device];
    const ComparedCell& cell = c.At(device, model);
    if (cell.time.ns <= 0 || cell.layers.empty()) continue;
    Rows rows;
    for (const ComparedLayer& layer : cell.layers) {
      rows.push_back({layer.name, fmt::format("{}", layer.uses), TimeText(layer.time.ns),
                      TimeText(layer.uses * layer.time.ns), TimeText(layer.time.high_ns),
                      fmt::format("{}", layer.time.samples), ShareText(FmaShare(d.roofs, layer.flops, layer.time.ns)),
                      ShareText(BandwidthShare(d.roofs, layer.bytes, layer.time.ns)), layer.precision,
                      layer.worst_error > 0 ? fmt::format("{:.2g}", layer.worst_error) : "-",
                      std::string(TimeOriginName(layer.origin)), layer.source, layer.schedule, layer.config,
                      fmt::format("{}", layer.trials)});
    }
    const std::string name =
        fmt::format("{} on {}, {} threads: {} layers", c.models[model].name, d.name, d.threads, rows.size());
    html += HtmlDetails(name, HtmlTable(name,
                                        {"layer", "> uses", "> one use", "> all uses", "> upper end", "> samples",
                                         "> of FMA", "> of memory", "precision", "> error, of allowed", "time from",
                                         "config from", "schedule", "config", "> trials"},
                                        rows));
  }
  return html;
}

std::string PortedTitle(const PortedTime& time) {
  if (!time.why_not.empty()) return time.why_not;
  if (time.ported_ns <= 0) return "";
  std::string title = fmt::format("{} against {} of its own", TimeText(time.ported_ns), TimeText(time.own_ns));
  if (time.samples > 0) {
    title += fmt::format(" ({} to {}, {} samples)", TimeText(time.low_ns), TimeText(time.high_ns), time.samples);
  }
  return fmt::format("{}, {} of {} layers", title, time.layers, time.of);
}

std::string PortabilityPictures(const ComparisonReport& report, size_t model) {
  if (model >= report.portability.size()) return "";
  const Portability& p = report.portability[model];
  const Comparison& c = report.comparison;
  std::vector<std::string> labels;
  std::vector<std::vector<HeatCell>> cells;
  std::vector<CascadeLine> lines;
  for (size_t from = 0; from < p.devices.size(); ++from) {
    labels.push_back(c.devices[p.devices[from]].name);
    cells.emplace_back();
    CascadeLine line{labels.back(), {}};
    for (const PortedTime& time : p.times[from]) {
      cells.back().push_back({time.Efficiency(), PortedTitle(time)});
      if (time.Efficiency()) line.efficiencies.push_back(*time.Efficiency());
    }
    if (PerformancePortability(p, from)) lines.push_back(std::move(line));
  }
  if (labels.size() < 2) return "";
  const std::string& name = c.models[model].name;
  return HtmlParagraph(p.origin == TimeOrigin::kPackage
                           ? "What was built for each machine reaches on the others, measured there as a whole:"
                           : "What each machine's best configurations reach on the others, by the layers that were "
                             "timed there:") +
         HeatMap(fmt::format("Portability of {}: rows are whose configurations, columns where they ran", name), labels,
                 cells) +
         CascadeChart(fmt::format("Cascade of efficiencies of {}; dashed: portability so far", name), lines);
}

std::string RoofsOf(const ComparedDevice& device) {
  if (device.roofs.gflops <= 0) return "not known";
  return fmt::format("{:.0f} GFLOP/s, {:.1f} GB/s, {}", device.roofs.gflops, device.roofs.read_gbps,
                     device.roofs.measured ? "measured" : "assumed");
}

std::string Devices(const Comparison& c) {
  Rows rows;
  for (const ComparedDevice& d : c.devices) {
    const Environment& e = d.environment;
    rows.push_back({d.name, d.target.ToText(), fmt::format("{}", d.threads), d.cache, RoofsOf(d),
                    fmt::format("{}", e.cores), e.caches, e.governor, e.microcode, e.kernel, e.hypervisor, e.features,
                    d.price_per_hour > 0 ? fmt::format("{}", d.price_per_hour) : "-"});
  }
  return HtmlTable("Devices",
                   {"device", "target", "> threads", "cache", "roofs", "> cores", "caches", "governor", "microcode",
                    "kernel", "hypervisor", "features", "> price per hour"},
                   rows);
}

std::string HistoryLabel(const TaskHistory& task) {
  return fmt::format("{} on {}, {} threads", task.workload, task.device, task.threads);
}

std::string Histories(const StoreHistory& history) {
  std::vector<HistoryLine> by_trial, by_time;
  Rows rows;
  for (const TaskHistory& task : history.tasks) {
    if (rows.size() < kMostTaskRows) {
      rows.push_back({task.workload, task.device, fmt::format("{}", task.threads), fmt::format("{}", task.trials),
                      TimeText(task.steps.empty() ? 0 : task.steps.front().best_ns), TimeText(task.best_ns),
                      fmt::format("{}", (task.last_unix_ms - task.first_unix_ms) / 1000)});
    }
    if (task.steps.empty() || by_trial.size() == kMostHistories) continue;
    HistoryLine trials{HistoryLabel(task), {}}, seconds = trials;
    for (const TaskHistory::Step& step : task.steps) {
      trials.points.emplace_back(static_cast<double>(step.trial), static_cast<double>(step.best_ns));
      seconds.points.emplace_back(static_cast<double>(step.since_ms) / 1000, static_cast<double>(step.best_ns));
    }
    trials.points.emplace_back(static_cast<double>(task.trials), static_cast<double>(task.best_ns));
    by_trial.push_back(std::move(trials));
    by_time.push_back(std::move(seconds));
  }
  std::string html =
      HistoryChart("Best time so far of the tasks with most trials, by trials", "trials of the task", by_trial) +
      HistoryChart("Best time so far of the same tasks, by time", "seconds since the task's first trial", by_time);
  if (history.tasks.size() > rows.size()) {
    html += HtmlParagraph(fmt::format("The {} tasks with most trials of {}:", rows.size(), history.tasks.size()));
  }
  return html + HtmlDetails(
                    fmt::format("{} tasks", rows.size()),
                    HtmlTable("Tuned tasks",
                              {"workload", "device", "> threads", "> trials", "> first", "> best", "> seconds"}, rows));
}

std::string Fates(const StoreHistory& history) {
  Rows rows;
  for (const auto& [device, fates] : history.fates) {
    for (const auto& [fate, count] : fates)
      rows.push_back({device, std::string(FateName(fate)), fmt::format("{}", count)});
  }
  return HtmlTable("Fates", {"device", "fate", "> records"}, rows);
}

}  // namespace

std::string ReportPage(const ComparisonReport& report, const StoreHistory* history) {
  const Comparison& c = report.comparison;
  std::string body = HtmlParagraph(
      fmt::format("Made by hone {}. Times compare within like setups alone; what differs is grey, with the reason.",
                  HoneVersion()));
  for (size_t model = 0; model < c.models.size(); ++model) {
    body += HtmlSection(c.models[model].name, Latencies(report, model) + Roofline(report, model) +
                                                  PortabilityPictures(report, model) + LayerTables(c, model));
  }
  if (!c.devices.empty()) body += HtmlSection("Devices", Devices(c));
  if (history != nullptr && history->records > 0) {
    body += HtmlSection("Tuning", Histories(*history));
    body += HtmlSection("Fates", Fates(*history));
  }
  return HtmlPage("hone report", body);
}

}  // namespace hone
