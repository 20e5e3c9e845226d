#include "lab/report/report_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/text/printable.h"
#include "core/version.h"
#include "lab/comparison/comparison_text.h"
#include "lab/report/charts.h"
#include "lab/report/conclusion.h"
#include "lab/report/page.h"
#include "lab/text/number_text.h"

namespace hone {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr size_t kMostHistories = 8;   // lines of a chart
constexpr size_t kMostTaskRows = 400;  // rows of the task table

std::string TimeTitle(const ComparedTime& time) {
  return fmt::format("{} ({} to {}, {})", TimeText(time.ns), TimeText(time.low_ns), TimeText(time.high_ns),
                     Counted(time.samples, "sample"));
}

std::string CellTitle(const Comparison& c, size_t device, size_t model) {
  const ComparedDevice& d = c.devices[device];
  const ComparedCell& cell = c.At(device, model);
  return fmt::format("{} on {}: {}; {}, {}, {}, cache {}, hone {}", c.models[model].name, d.name, TimeTitle(cell.time),
                     Counted(d.threads, "thread"), cell.precision, TimeOriginName(cell.origin), d.cache,
                     fmt::join(cell.versions, "/"));
}

// Leaves out columns that say nothing in any row.
std::string TableWithoutBlanks(const std::string& name, std::vector<std::string> headers, Rows rows,
                               const std::vector<bool>& grey = {}) {
  for (size_t column = headers.size(); column-- > 0;) {
    const auto says = [column](const auto& row) { return row[column] != "-" && !row[column].empty(); };
    if (std::any_of(rows.begin(), rows.end(), says)) continue;
    headers.erase(headers.begin() + static_cast<std::ptrdiff_t>(column));
    for (auto& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
  return HtmlTable(name, headers, rows, grey);
}

std::string Cards(const Conclusion& conclusion) {
  const auto card = [](const char* css, const char* name, const Answer& answer) {
    return fmt::format("<div class=\"{}\"><dt>{}</dt><dd><b>{}</b>{}</dd></div>", css, name, Escaped(answer.short_text),
                       Escaped(answer.details));
  };
  if (conclusion.fastest.short_text.empty())
    return fmt::format("<p class=\"lead\">{}</p>\n", Escaped(conclusion.summary));
  return fmt::format("<p class=\"lead\">{}</p>\n<dl class=\"cards\">{}{}{}{}</dl>\n", Escaped(conclusion.summary),
                     card("fastest", "Fastest", conclusion.fastest), card("cheapest", "Cheapest", conclusion.cheapest),
                     card("why", "Why", conclusion.why), card("unsure", "Unsure", conclusion.unsure));
}

std::vector<std::string> TimesRow(const ComparisonReport& report, size_t model, size_t device,
                                  const std::vector<size_t>& order, const Standing& standing) {
  const Comparison& c = report.comparison;
  const ComparedDevice& d = c.devices[device];
  const ComparedCell& cell = c.At(device, model);
  return {ShortName(c, device),
          (cell.covered < cell.tasks ? "at least " : "") + TimeText(cell.time.ns),
          fmt::format("{} .. {}", TimeText(cell.time.low_ns), TimeText(cell.time.high_ns)),
          standing.ratio > 0 ? fmt::format("{:.2f}x", standing.ratio) : "-",
          MoneyText(PriceOfMillion(c, device, model)),
          VerdictOf(report, model, order, device),
          StandingText(c, device, model, standing),
          fmt::format("{}", d.threads),
          cell.precision,
          ShareText(FmaShare(d.roofs, cell.flops, cell.time.ns)),
          ShareText(BandwidthShare(d.roofs, cell.bytes, cell.time.ns)),
          GflopsText(cell.flops, cell.time.ns),
          fmt::format("{}", cell.time.samples),
          fmt::format("{} of {}", cell.covered, cell.tasks),
          TimeText(cell.estimated_ns),
          JoulesText(cell.joules_per_image),
          d.target.cpu,
          d.name};
}

std::string Times(const ComparisonReport& report, size_t model, const std::vector<size_t>& order) {
  const Comparison& c = report.comparison;
  const std::vector<Standing> standings = StandingsOf(c, model, report.accepted);
  std::vector<TimeMark> marks;
  Rows rows;
  std::vector<bool> grey;
  for (const size_t device : order) {
    const ComparedCell& cell = c.At(device, model);
    grey.push_back(!standings[device].whole());
    const int threads = c.devices[device].threads;
    std::string label = ShortName(c, device);
    const std::string with = Counted(threads, "thread");
    if (!label.ends_with(with)) label += ", " + with;
    marks.push_back({std::move(label), CellTitle(c, device, model), cell.time.ns, cell.time.low_ns, cell.time.high_ns,
                     static_cast<int>(device), grey.back()});
    rows.push_back(TimesRow(report, model, device, order, standings[device]));
  }
  if (rows.empty()) return "";
  return TableWithoutBlanks("Times of " + c.models[model].name,
                            {"device", "> time", "> interval", "> vs best", "> price per million", "= verdict", "notes",
                             "> threads", "precision", "> of FMA", "> of memory", "> GFLOP/s", "> samples",
                             "> layers timed", "> estimated", "> J per image", "code for", "machine"},
                            rows, grey) +
         HtmlCharts(LatencyChart("Time of a run, with its interval", marks));
}

constexpr size_t kMostDifferences = 10;

// The layers in which the two fastest machines differ most.
std::string DifferingLayers(const ComparisonReport& report, size_t model, const std::vector<size_t>& order) {
  const Comparison& c = report.comparison;
  const std::vector<Standing> standings = StandingsOf(c, model, report.accepted);
  std::vector<size_t> whole;
  for (const size_t device : order) {
    if (standings[device].whole()) whole.push_back(device);
  }
  if (whole.size() < 2) return "";
  const size_t a = whole[0], b = whole[1];
  Rows rows;
  for (const LayerDifference& layer : ExplainDifference(c, model, a, b).layers) {
    if (rows.size() == kMostDifferences || layer.difference_ns() == 0) break;
    rows.push_back({layer.nodes.empty() ? ShortWorkload(layer.name) : fmt::format("{}", fmt::join(layer.nodes, " + ")),
                    (layer.difference_ns() > 0 ? "+" : "-") + TimeText(std::abs(layer.difference_ns())),
                    TimeText(layer.a_ns), TimeText(layer.b_ns), ShareText(layer.a_fma_share),
                    ShareText(layer.b_fma_share), layer.name});
  }
  if (rows.empty()) return "";
  const std::string first = ShortName(c, a), second = ShortName(c, b);
  return TableWithoutBlanks(
      fmt::format("Layers in which {} and {} differ most", first, second),
      {"layer", "> difference", "> " + first, "> " + second, "> of FMA, " + first, "> of FMA, " + second, "workload"},
      rows);
}

// Why points lie above a roof, if some do.
std::string AboveRoofText(int winograd, int others) {
  std::string text;
  if (winograd > 0) {
    text += fmt::format(
        "{} point{} above a roof: Winograd's kernels multiply less often than the direct algorithm, "
        "whose operations are counted. ",
        winograd, winograd == 1 ? " is" : "s are");
  }
  if (others > 0) {
    text += fmt::format("{} point{} above a memory roof: a cache holds a part of what the layer reads.", others,
                        others == 1 ? " is" : "s are");
  }
  return text.empty() ? "" : HtmlParagraph(text);
}

std::string Roofline(const ComparisonReport& report, size_t model) {
  const Comparison& c = report.comparison;
  std::vector<RooflineMachine> machines;
  int winograd = 0, others = 0;
  for (size_t device = 0; device < c.devices.size(); ++device) {
    const ComparedDevice& d = c.devices[device];
    RooflineMachine machine{ShortName(c, device), static_cast<int>(device), d.roofs.gflops, d.roofs.read_gbps, {}};
    for (const ComparedLayer& layer : c.At(device, model).layers) {
      if (layer.time.ns <= 0 || layer.flops <= 0 || layer.bytes <= 0) continue;
      const double intensity = layer.flops / layer.bytes, gflops = GflopsOf(layer.flops, layer.time.ns);
      const bool is_above = d.roofs.gflops > 0 && gflops > std::min(d.roofs.gflops, intensity * d.roofs.read_gbps);
      const bool is_winograd = layer.schedule.find("winograd") != std::string::npos;
      winograd += is_above && is_winograd;
      others += is_above && !is_winograd;
      machine.points.push_back(
          {intensity, gflops,
           fmt::format("{} on {}: {}, {}", LayerNodes(layer), machine.label, TimeTitle(layer.time), layer.schedule)});
    }
    if (!machine.points.empty()) machines.push_back(std::move(machine));
  }
  const std::string chart = RooflineChart("Roofline: each layer with knobs, and each machine's roofs", machines);
  return chart.empty() ? "" : HtmlCharts(chart) + AboveRoofText(winograd, others);
}

std::string LayerTables(const Comparison& c, size_t model) {
  std::string html;
  for (size_t device = 0; device < c.devices.size(); ++device) {
    const ComparedDevice& d = c.devices[device];
    const ComparedCell& cell = c.At(device, model);
    if (cell.time.ns <= 0 || cell.layers.empty()) continue;
    Rows rows;
    for (const ComparedLayer& layer : cell.layers) {
      rows.push_back({LayerNodes(layer), fmt::format("{}", layer.uses), TimeText(layer.time.ns),
                      TimeText(layer.uses * layer.time.ns), TimeText(layer.time.high_ns),
                      fmt::format("{}", layer.time.samples), ShareText(FmaShare(d.roofs, layer.flops, layer.time.ns)),
                      ShareText(BandwidthShare(d.roofs, layer.bytes, layer.time.ns)), layer.precision,
                      layer.worst_error > 0 ? fmt::format("{:.2g}", layer.worst_error) : "-",
                      std::string(TimeOriginName(layer.origin)), layer.source, fmt::format("{}", layer.trials),
                      layer.schedule, layer.config, layer.name});
    }
    const std::string name = fmt::format("{} on {}, {}: {}", c.models[model].name, d.name, Counted(d.threads, "thread"),
                                         Counted(rows.size(), "layer"));
    html +=
        HtmlDetails(name, TableWithoutBlanks(name,
                                             {"layer", "> uses", "> one use", "> all uses", "> upper end", "> samples",
                                              "> of FMA", "> of memory", "precision", "> error, of allowed",
                                              "time from", "config from", "> trials", "schedule", "config", "workload"},
                                             rows));
  }
  return html;
}

std::string PortedTitle(const PortedTime& time) {
  if (!time.why_not.empty()) return time.why_not;
  if (time.ported_ns <= 0) return "";
  std::string title = fmt::format("{} against {} of its own", TimeText(time.ported_ns), TimeText(time.own_ns));
  if (time.samples > 0) {
    title +=
        fmt::format(" ({} to {}, {})", TimeText(time.low_ns), TimeText(time.high_ns), Counted(time.samples, "sample"));
  }
  return fmt::format("{}, {} of {}", title, time.layers, Counted(time.of, "layer"));
}

std::string PortabilityPictures(const ComparisonReport& report, size_t model) {
  if (model >= report.portability.size()) return "";
  const Portability& p = report.portability[model];
  const Comparison& c = report.comparison;
  std::vector<std::string> labels;
  std::vector<std::vector<HeatCell>> cells;
  std::vector<CascadeLine> lines;
  for (size_t from = 0; from < p.devices.size(); ++from) {
    labels.push_back(ShortName(c, p.devices[from]));
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
         HeatTable(fmt::format("Portability of {}: rows are whose configurations, columns where they ran", name),
                   labels, cells) +
         HtmlCharts(
             CascadeChart(fmt::format("Cascade of efficiencies of {}; dashed: portability so far", name), lines));
}

std::string RoofsOf(const ComparedDevice& device) {
  if (device.roofs.gflops <= 0) return "not known";
  return fmt::format("{:.0f} GFLOP/s, {:.1f} GB/s, {}", device.roofs.gflops, device.roofs.read_gbps,
                     device.roofs.measured ? "measured" : "assumed");
}

std::string Devices(const Comparison& c) {
  Rows rows, features;
  for (const ComparedDevice& d : c.devices) {
    const Environment& e = d.environment;
    rows.push_back({d.name, d.target.ToText(), fmt::format("{}", d.threads), d.cache, RoofsOf(d),
                    fmt::format("{}", e.cores), e.caches, e.governor, e.microcode, e.kernel, e.hypervisor,
                    d.price_per_hour > 0 ? fmt::format("{:g}", d.price_per_hour) : "-"});
    features.push_back({d.name, e.features});
  }
  return TableWithoutBlanks("Devices",
                            {"device", "target", "> threads", "cache", "roofs", "> cores", "caches", "governor",
                             "microcode", "kernel", "hypervisor", "> price per hour"},
                            rows) +
         HtmlDetails("CPU features", TableWithoutBlanks("CPU features", {"device", "features"}, features));
}

// The names of the compared models' layers by their workloads.
std::map<std::string, std::string> NodesOf(const Comparison& c) {
  std::map<std::string, std::string> nodes;
  for (const auto& row : c.cells) {
    for (const ComparedCell& cell : row) {
      for (const ComparedLayer& layer : cell.layers) {
        if (!layer.nodes.empty()) nodes.try_emplace(layer.name, layer.nodes.front());
      }
    }
  }
  return nodes;
}

// A setup is named where the histories have several.
std::string HistoryLabel(const TaskHistory& task, const StoreHistory& history,
                         const std::map<std::string, std::string>& nodes) {
  const auto node = nodes.find(task.workload);
  const std::string layer = node == nodes.end() ? ShortWorkload(task.workload) : node->second;
  const bool is_one = std::all_of(history.tasks.begin(), history.tasks.end(),
                                  [&](const TaskHistory& other) { return other.setup == task.setup; });
  if (is_one) return layer;
  return fmt::format("{} on {}, {}", layer, task.device, Counted(task.threads, "thread"));
}

std::string Histories(const StoreHistory& history, const Comparison& c) {
  const std::map<std::string, std::string> nodes = NodesOf(c);
  std::vector<HistoryLine> by_trial, by_time;
  Rows rows;
  for (const TaskHistory& task : history.tasks) {
    if (rows.size() < kMostTaskRows) {
      rows.push_back({task.workload, task.device, fmt::format("{}", task.threads), fmt::format("{}", task.trials),
                      TimeText(task.steps.empty() ? 0 : task.steps.front().least_ns), TimeText(task.best_ns),
                      fmt::format("{}", (task.last_unix_ms - task.first_unix_ms) / 1000)});
    }
    // One trial is no history.
    if (task.steps.empty() || task.trials < 2 || by_trial.size() == kMostHistories) continue;
    HistoryLine trials{HistoryLabel(task, history, nodes), {}}, seconds = trials;
    for (const TaskHistory::Step& step : task.steps) {
      trials.points.emplace_back(static_cast<double>(step.trial), static_cast<double>(step.least_ns));
      seconds.points.emplace_back(static_cast<double>(step.since_ms) / 1000, static_cast<double>(step.least_ns));
    }
    const auto least_ns = static_cast<double>(task.steps.back().least_ns);
    trials.points.emplace_back(static_cast<double>(task.trials), least_ns);
    seconds.points.emplace_back(static_cast<double>(task.last_unix_ms - task.first_unix_ms) / 1000, least_ns);
    by_trial.push_back(std::move(trials));
    by_time.push_back(std::move(seconds));
  }
  std::string html = HtmlCharts(
      HistoryChart({"Least time so far, by trials", "trials of the task", "least so far, us"}, by_trial) +
      HistoryChart({"Least time so far, by time", "seconds since the task's first trial", "least so far, us"},
                   by_time));
  if (history.tasks.size() > rows.size()) {
    html += HtmlParagraph(
        fmt::format("The {} with most trials of {}:", Counted(rows.size(), "task"), history.tasks.size()));
  }
  return html + HtmlDetails(
                    Counted(rows.size(), "task"),
                    HtmlTable("Tuned tasks",
                              {"workload", "device", "> threads", "> trials", "> first", "> best", "> seconds"}, rows));
}

std::string Fates(const StoreHistory& history) {
  Rows rows;
  for (const auto& [device, fates] : history.fates) {
    for (const auto& [fate, count] : fates)
      rows.push_back({device, std::string(FateName(fate)), fmt::format("{}", count)});
  }
  return HtmlTable("Outcomes of trials", {"device", "outcome", "> records"}, rows);
}

}  // namespace

namespace {

// One model's part; `level` is that of its headings.
std::string ModelPart(const ComparisonReport& report, size_t model) {
  const Comparison& c = report.comparison;
  const std::vector<size_t> order = OrderOfDevices(c, model, StandingsOf(c, model, report.accepted));
  std::string html = Cards(ConclusionOf(report, model, order)) + Times(report, model, order);
  const auto part = [&html](const char* name, const std::string& body) {
    if (!body.empty()) html += fmt::format("<h3>{}</h3>\n{}", name, body);
  };
  part("Where the two fastest differ", DifferingLayers(report, model, order));
  part("How near to the roofs", Roofline(report, model));
  part("Portability", PortabilityPictures(report, model));
  part("Layers", LayerTables(c, model));
  return HtmlSection(c.models.size() == 1 ? "Conclusion" : c.models[model].name, html);
}

std::string TitleOf(const Comparison& c, const std::vector<RuntimeTable>& runtimes) {
  if (c.models.empty() && !runtimes.empty()) return "Runtimes on machines";
  if (c.models.size() != 1) return "hone report";
  const size_t machines = c.devices.size();
  return fmt::format("{} on {}", c.models[0].name, Counted(machines, "device"));
}

}  // namespace

std::string ReportPage(const ComparisonReport& report, const StoreHistory* history,
                       const std::vector<RuntimeTable>& runtimes) {
  const Comparison& c = report.comparison;
  std::string body = HtmlSections(runtimes);
  for (size_t model = 0; model < c.models.size(); ++model) body += ModelPart(report, model);
  if (!c.devices.empty()) body += HtmlSection("Devices", Devices(c));
  if (history != nullptr && history->records == 0) {
    body += HtmlSection("No records yet",
                        HtmlParagraph("hone tune MODEL makes the first ones. This page then shows each model's time on "
                                      "each device, its layers and rooflines, and how its tuning went."));
  }
  if (history != nullptr && history->records > 0) {
    body += HtmlSection("Tuning", Histories(*history, c));
    body += HtmlSection("Outcomes of trials", Fates(*history));
  }
  return HtmlPage(
      TitleOf(c, runtimes),
      fmt::format("Made by hone {}. Only times of like setups are compared; others are grey, with the reason.",
                  HoneVersion()),
      body);
}

}  // namespace hone
