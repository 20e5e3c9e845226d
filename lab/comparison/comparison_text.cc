#include "lab/comparison/comparison_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text/printable.h"
#include "lab/comparison/likeness.h"
#include "lab/text/number_text.h"
#include "lab/text/table.h"

namespace hone {
namespace {

using Row = std::vector<std::string>;

// A model's table before it is printed.
struct ModelTable {
  std::string title;
  Row headers;  // as in Table
  std::vector<Row> rows;
};

// The distance of the interval's upper end from the time.
std::string NoiseText(const ComparedTime& time) {
  if (time.ns <= 0) return "-";
  return fmt::format("+{:.1f} %", 100.0 * static_cast<double>(time.high_ns - time.ns) / static_cast<double>(time.ns));
}

std::string ReasonText(const Comparison& c, size_t device, size_t model, const std::string& name) {
  const ComparedDevice& d = c.devices[device];
  const ComparedCell& cell = c.At(device, model);
  if (name == kThreadsDiffer) return Counted(d.threads, "thread");
  if (name == kPrecisionDiffers) return cell.precision;
  if (name == kCacheDiffers) return "cache " + d.cache;
  if (name == kVersionDiffers) return fmt::format("hone {}", fmt::join(cell.versions, "/"));
  if (name == kOriginDiffers) return cell.origin == TimeOrigin::kRecord ? "a sum of layers" : "a whole package";
  if (name == kIsNoisy) return "noisy: " + cell.why_noisy;
  return name;
}

std::string GflopsCell(double flops, int64_t ns) {
  return ns > 0 && flops > 0 ? fmt::format("{:.1f}", flops / static_cast<double>(ns)) : "-";
}

// Columns that only some comparisons have.
struct Columns {
  bool price = false, energy = false;
};

Columns ColumnsOf(const Comparison& c) {
  Columns columns;
  for (const ComparedDevice& device : c.devices) columns.price |= device.price_per_hour > 0;
  for (const auto& row : c.cells) {
    for (const ComparedCell& cell : row) columns.energy |= cell.joules_per_image > 0;
  }
  return columns;
}

Row RowOf(const Comparison& c, size_t device, size_t model, const Standing& standing, const Columns& columns) {
  const ComparedDevice& d = c.devices[device];
  const ComparedCell& cell = c.At(device, model);
  Row row = {d.name,
             d.target.cpu,
             fmt::format("{}", d.threads),
             TimeText(cell.time.ns),
             NoiseText(cell.time),
             GflopsCell(cell.flops, cell.time.ns),
             ShareText(FmaShare(d.roofs, cell.flops, cell.time.ns)),
             ShareText(BandwidthShare(d.roofs, cell.bytes, cell.time.ns)),
             fmt::format("{} of {}", cell.covered, cell.tasks)};
  if (columns.energy) row.push_back(JoulesText(cell.joules_per_image));
  if (columns.price) row.push_back(MoneyText(PriceOfMillion(c, device, model)));
  row.push_back(standing.ratio > 0 ? fmt::format("{:.2f}x", standing.ratio) : "-");
  row.push_back(StandingText(c, device, model, standing));
  return row;
}

ModelTable TableOf(const ComparisonReport& report, size_t model) {
  const Comparison& c = report.comparison;
  const Columns columns = ColumnsOf(c);
  ModelTable table;
  table.title = c.models[model].name;
  table.headers = {"device",    "code for", "> threads",   "> time", "> noise",
                   "> GFLOP/s", "> of FMA", "> of memory", "> timed"};
  if (columns.energy) table.headers.emplace_back("> J per image");
  if (columns.price) table.headers.emplace_back("> price per million");
  table.headers.insert(table.headers.end(), {"> vs best", "note"});
  const std::vector<Standing> standings = StandingsOf(c, model, report.accepted);
  for (const size_t device : OrderOfDevices(c, model, standings)) {
    table.rows.push_back(RowOf(c, device, model, standings[device], columns));
  }
  return table;
}

std::string Drawn(const Row& headers, const std::vector<Row>& rows, size_t columns) {
  Table table(headers);
  for (const Row& row : rows) table.Add(row);
  return table.ToText(columns);
}

bool AnyEstimate(const Comparison& c) {
  for (const auto& row : c.cells) {
    for (const ComparedCell& cell : row) {
      if (cell.estimated_ns > 0) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<size_t> OrderOfDevices(const Comparison& c, size_t model, const std::vector<Standing>& standings) {
  std::vector<size_t> order(c.devices.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t device) { return !standings[device].known; });
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const auto rank = [&](size_t device) {
      const Standing& s = standings[device];
      return std::tuple(s.ratio <= 0, s.ratio > 0 ? s.ratio : 0, c.At(device, model).time.ns);
    };
    return rank(a) < rank(b);
  });
  return order;
}

std::string ShareText(double share) { return share > 0 ? fmt::format("{:.0f} %", 100 * share) : "-"; }

std::string MoneyText(double money) {
  if (money <= 0) return "-";
  return money >= 100 ? fmt::format("{:.0f}", money) : fmt::format("{:#.3g}", money);
}

std::string JoulesText(double joules) { return joules > 0 ? fmt::format("{:.3g}", joules) : "-"; }

std::string StandingText(const Comparison& c, size_t device, size_t model, const Standing& standing) {
  const ComparedCell& cell = c.At(device, model);
  std::vector<std::string> words;
  if (!standing.unlike.empty()) {
    std::vector<std::string> reasons;
    for (const std::string& name : standing.unlike) reasons.push_back(ReasonText(c, device, model, name));
    words.push_back(fmt::format("not compared: {}", fmt::join(reasons, ", ")));
  }
  if (standing.ratio > 0 && standing.partial()) {
    words.push_back(fmt::format("ratio over {} of {}", standing.over, Counted(standing.of, "layer")));
  } else if (cell.covered < cell.tasks) {
    words.push_back(fmt::format("{} of {} without a time", cell.tasks - cell.covered, Counted(cell.tasks, "layer")));
  }
  return fmt::format("{}", fmt::join(words, "; "));
}

std::string ComparisonText(const ComparisonReport& report, size_t columns) {
  const Comparison& c = report.comparison;
  std::string text;
  for (size_t model = 0; model < c.models.size(); ++model) {
    const ModelTable table = TableOf(report, model);
    text += fmt::format("{}{}\n", model > 0 ? "\n" : "", Printable(table.title));
    text += table.rows.empty() ? "no device has a time for it\n" : Drawn(table.headers, table.rows, columns);
  }
  for (const ComparedDevice& device : c.devices) {
    if (device.roofs.gflops <= 0) continue;
    text +=
        fmt::format("{}roofs of {}, {}: {:.0f} GFLOP/s, {:.1f} GB/s, {}\n", &device == &c.devices.front() ? "\n" : "",
                    Printable(device.name), Counted(device.threads, "thread"), device.roofs.gflops,
                    device.roofs.read_gbps, device.roofs.measured ? "measured" : "assumed of its kind of CPU");
  }
  for (const ComparedDevice& device : c.devices) {
    if (device.runners.size() < 2 || device.short_id.empty()) continue;
    text += fmt::format("{} are one row: their machines are exact copies. --device takes the records of one\n",
                        Printable(fmt::format("{}", fmt::join(device.runners, ", "))));
  }
  double fma = 0, memory = 0;
  for (size_t device = 0; device < c.devices.size(); ++device) {
    const MachineRoofs& roofs = c.devices[device].roofs;
    for (const ComparedCell& cell : c.cells[device]) {
      fma = std::max(fma, FmaShare(roofs, cell.flops, cell.time.ns));
      memory = std::max(memory, BandwidthShare(roofs, cell.bytes, cell.time.ns));
    }
  }
  text += AboveRoofsText(fma, memory);
  if (AnyEstimate(c)) {
    text += "sums of layers hold operators without knobs as estimates: the bytes that they move over the memory roof\n";
  }
  return text;
}

std::string LayersText(const ComparisonReport& report, size_t columns) {
  const Comparison& c = report.comparison;
  std::string text;
  double fma = 0, memory = 0;
  for (size_t model = 0; model < c.models.size(); ++model) {
    for (size_t device = 0; device < c.devices.size(); ++device) {
      const ComparedCell& cell = c.At(device, model);
      if (cell.time.ns <= 0) continue;
      const MachineRoofs& roofs = c.devices[device].roofs;
      std::vector<Row> rows;
      for (const ComparedLayer& layer : cell.layers) {
        fma = std::max(fma, FmaShare(roofs, layer.flops, layer.time.ns));
        memory = std::max(memory, BandwidthShare(roofs, layer.bytes, layer.time.ns));
        rows.push_back({fmt::format("{}", layer.uses), TimeText(layer.time.ns), NoiseText(layer.time),
                        GflopsCell(layer.flops, layer.time.ns), ShareText(FmaShare(roofs, layer.flops, layer.time.ns)),
                        ShareText(BandwidthShare(roofs, layer.bytes, layer.time.ns)),
                        std::string(TimeOriginName(layer.origin)), layer.schedule, layer.name});
      }
      text += fmt::format("\n{} on {}, {}\n", Printable(c.models[model].name), Printable(c.devices[device].name),
                          Counted(c.devices[device].threads, "thread"));
      text +=
          Drawn({"> uses", "> time", "> noise", "> GFLOP/s", "> of FMA", "> of memory", "origin", "schedule", "layer"},
                rows, columns);
    }
  }
  return text + AboveRoofsText(fma, memory);
}

namespace {

// A line for each pair of machines if one's code does not run on the other.
std::string WhyNotText(const Comparison& c, const Portability& p) {
  std::string text;
  for (size_t from = 0; from < p.devices.size(); ++from) {
    for (size_t to = 0; to < p.devices.size(); ++to) {
      const PortedTime& time = p.times[from][to];
      if (time.why_not.empty()) continue;
      text += fmt::format("what was built for {} does not run on {}: {}\n", Printable(ShortName(c, p.devices[from])),
                          Printable(ShortName(c, p.devices[to])), Printable(time.why_not));
    }
  }
  return text;
}

// The one place where the device ran, with its id where other machines ran there, too; else its name.
std::string NameOfPlace(const Comparison& c, size_t device) {
  const auto place = [](const ComparedDevice& of) { return of.runners.size() == 1 ? *of.runners.begin() : ""; };
  const ComparedDevice& d = c.devices[device];
  const std::string name = place(d);
  if (name.empty()) return d.name;
  const bool is_shared = std::any_of(c.devices.begin(), c.devices.end(), [&](const ComparedDevice& other) {
    return !(other.machine == d.machine) && place(other) == name;
  });
  if (!is_shared) return name;
  return d.short_id.empty() ? d.name : fmt::format("{} #{}", name, d.short_id);
}

}  // namespace

std::string ShortName(const Comparison& c, size_t device) {
  const ComparedDevice& d = c.devices[device];
  const std::string name = NameOfPlace(c, device);
  bool has_other_threads = false, has_other_code = false;
  for (size_t other = 0; other < c.devices.size(); ++other) {
    const ComparedDevice& o = c.devices[other];
    if (other == device || (NameOfPlace(c, other) != name && !(o.machine == d.machine && o.runners.contains(name)))) {
      continue;
    }
    has_other_threads |= o.threads != d.threads;
    has_other_code |= o.target.cpu != d.target.cpu;
  }
  return name + (has_other_code ? " for " + d.target.cpu : "") +
         (has_other_threads ? " at " + Counted(d.threads, "thread") : "");
}

std::string PortabilityText(const ComparisonReport& report, size_t columns) {
  const Comparison& c = report.comparison;
  std::string text;
  for (size_t model = 0; model < report.portability.size(); ++model) {
    const Portability& p = report.portability[model];
    if (p.devices.size() < 2) continue;
    Row headers = {p.origin == TimeOrigin::kPackage ? "package of"
                                                    : "configurations of"};  // short, as each device has a column
    for (const size_t device : p.devices) headers.push_back("> on " + ShortName(c, device));
    headers.emplace_back("> portability");
    std::vector<Row> rows;
    for (size_t from = 0; from < p.devices.size(); ++from) {
      Row row = {c.devices[p.devices[from]].name};
      for (const PortedTime& time : p.times[from]) {
        const std::optional<double> efficiency = time.Efficiency();
        std::string cell = efficiency ? fmt::format("{:.0f} %", 100 * *efficiency) : "-";
        if (!time.why_not.empty()) cell = "does not run";
        if (efficiency && !time.complete()) cell += fmt::format(" ({} of {})", time.layers, time.of);
        row.push_back(cell);
      }
      const std::optional<double> metric = PerformancePortability(p, from);
      row.push_back(metric ? fmt::format("{:.3f}", *metric) : "-");
      rows.push_back(std::move(row));
    }
    const bool packages = p.origin == TimeOrigin::kPackage;
    text += fmt::format("\n{}: what {} on the others{}\n{}", Printable(c.models[model].name),
                        packages ? "was built for each machine reaches" : "each machine's best configurations reach",
                        packages ? ", measured there as a whole" : "", Drawn(headers, rows, columns));
    text += WhyNotText(c, p);
    if (const auto tuned = TunedPortability(c, model, p.devices)) {
      text += fmt::format("tuned for each, by share of the FMA roof: portability {:.3f}\n", *tuned);
    }
  }
  return text;
}

std::string DifferenceText(const Comparison& c, size_t model, size_t a, size_t b, size_t most, size_t columns) {
  const Difference difference = ExplainDifference(c, model, a, b);
  std::vector<Row> rows;
  for (const LayerDifference& layer : difference.layers) {
    if (rows.size() == most || layer.difference_ns() == 0) break;
    const char* sign = layer.difference_ns() > 0 ? "+" : "-";
    rows.push_back({sign + TimeText(std::abs(layer.difference_ns())), TimeText(layer.a_ns), TimeText(layer.b_ns),
                    ShareText(layer.a_fma_share), ShareText(layer.b_fma_share), layer.name});
  }
  std::string text = fmt::format("\n{}: {} takes {} {} than {}", Printable(c.models[model].name),
                                 Printable(c.devices[b].name), TimeText(std::abs(difference.total_ns)),
                                 difference.total_ns >= 0 ? "more" : "less", Printable(c.devices[a].name));
  if (difference.unknown > 0)
    text += fmt::format(" ({} without a time left out)", Counted(difference.unknown, "layer"));
  return text + "; what differs most:\n" +
         Drawn({"> difference", "> first", "> second", "> of FMA", "> of FMA", "layer"}, rows, columns);
}

std::string ComparisonCsv(const ComparisonReport& report) {
  const Comparison& c = report.comparison;
  std::string csv =
      "model,device,machine_id,cpu,threads,cache,precision,origin,time_ns,low_ns,high_ns,samples,gflops,fma_share,"
      "bandwidth_share,layers,covered,estimated_ns,ratio,ratio_over,unlike,images_per_money,joules_per_image\r\n";
  for (size_t model = 0; model < c.models.size(); ++model) {
    const std::vector<Standing> standings = StandingsOf(c, model, report.accepted);
    for (size_t device = 0; device < c.devices.size(); ++device) {
      const ComparedDevice& d = c.devices[device];
      const ComparedCell& cell = c.At(device, model);
      const Standing& s = standings[device];
      csv += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{:.3f},{:.4f},{:.4f},{},{},{},{:.4f},{},{},{:.0f},{:.6g}\r\n",
          CsvCell(c.models[model].name), CsvCell(d.name), d.short_id, CsvCell(d.target.cpu), d.threads, d.cache,
          cell.precision, TimeOriginName(cell.origin), cell.time.ns, cell.time.low_ns, cell.time.high_ns,
          cell.time.samples, GflopsOf(cell.flops, cell.time.ns), FmaShare(d.roofs, cell.flops, cell.time.ns),
          BandwidthShare(d.roofs, cell.bytes, cell.time.ns), cell.tasks, cell.covered, cell.estimated_ns, s.ratio,
          s.over, fmt::join(s.unlike, " "), ImagesPerMoney(d, c.models[model], cell), cell.joules_per_image);
    }
  }
  return csv;
}

std::string ComparisonMarkdown(const ComparisonReport& report) {
  std::string text;
  for (size_t model = 0; model < report.comparison.models.size(); ++model) {
    const ModelTable table = TableOf(report, model);
    text += fmt::format("{}### {}\n\n|", model > 0 ? "\n" : "", MarkdownCell(table.title));
    std::string rule = "|";
    for (const std::string& header : table.headers) {
      const bool right = header.starts_with("> ");
      text += " " + header.substr(right ? 2 : 0) + " |";
      rule += right ? " ---: |" : " --- |";
    }
    text += "\n" + rule + "\n";
    for (const Row& row : table.rows) {
      text += "|";
      for (const std::string& cell : row) text += " " + MarkdownCell(cell) + " |";
      text += "\n";
    }
  }
  return text;
}

}  // namespace hone
