#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/machine/fingerprint.h"
#include "lab/bench/package_facts.h"
#include "lab/bench/writers.h"
#include "lab/statistics.h"

namespace hone {
namespace {

// A cell, quoted as in RFC 4180.
std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string CsvRow(const std::vector<std::string>& cells) {
  std::string row;
  for (const std::string& cell : cells) row += (row.empty() ? "" : ",") + CsvCell(cell);
  return row + "\n";
}

std::string Number(int64_t n) { return fmt::format("{}", n); }

// A column's name: the package's file name without its ending, in letters, digits and '_'.
std::string Column(const std::string& name) {
  const size_t slash = name.rfind('/', name.find("/streams:") - 1);
  std::string column = slash == std::string::npos ? name : name.substr(slash + 1);
  if (const size_t ending = column.find(".hone"); ending != std::string::npos) column.erase(ending, 5);
  std::replace_if(column.begin(), column.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return column;
}

}  // namespace

std::string BenchCsv(const BenchResult& result) {
  std::string text = CsvRow({"package", "model", "threads", "streams", "precision", "rounds", "runs", "min_ns",
                             "p10_ns", "median_ns", "median_low_ns", "median_high_ns", "p90_ns", "p99_ns",
                             "images_per_second", "device", "hone_version", "date"});
  for (const TimedPackage& timed : result.packages) {
    const Statistics s = StatisticsOf(timed.samples_ns);
    const Plan& plan = timed.package->plan();
    text +=
        CsvRow({timed.path, plan.model, Number(timed.threads), Number(timed.streams), PrecisionOf(plan),
                Number(static_cast<int64_t>(timed.rounds.size())), Number(timed.runs), Number(s.min_ns),
                Number(s.p10_ns), Number(s.median_ns), Number(s.median_low_ns), Number(s.median_high_ns),
                Number(s.p90_ns), Number(s.p99_ns), fmt::format("{:.3f}", ImagesPerSecond(timed, result.conditions)),
                FingerprintOf(result.machine).ShortId(), result.machine.hone_version, result.context.date});
  }
  return text;
}

std::string BenchOtava(const BenchResult& result) {
  std::vector<std::string> header = {"time", "hone_version", "device"};
  std::vector<std::string> row = {result.context.date, result.machine.hone_version,
                                  FingerprintOf(result.machine).ShortId()};
  for (const TimedPackage& timed : result.packages) {
    const std::string column = Column(NameOf(timed, result.conditions));
    const Statistics s = StatisticsOf(timed.samples_ns);
    const auto add = [&](const char* metric, std::string value) {
      header.push_back(column + metric);
      row.push_back(std::move(value));
    };
    add("_sha256", PackageSha256(*timed.package));
    add("_p10_ns", Number(s.p10_ns));
    add("_median_ns", Number(s.median_ns));
    add("_images_per_second", fmt::format("{:.3f}", ImagesPerSecond(timed, result.conditions)));
  }
  return CsvRow(header) + CsvRow(row);
}

}  // namespace hone
