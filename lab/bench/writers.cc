#include "lab/bench/writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/error.h"
#include "core/machine/fingerprint.h"
#include "core/stats/statistics.h"
#include "core/text/printable.h"
#include "core/text/spelling.h"
#include "lab/bench/bench_result.h"
#include "lab/bench/time_runtimes.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "lab/text/number_text.h"
#include "lab/text/table.h"

namespace hone {
namespace {

std::string Names() {
  std::string names;
  for (const BenchWriter& writer : BenchWriters()) names += fmt::format("{}{}", names.empty() ? "" : ", ", writer.name);
  return names;
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n') + 1); }

// The file's new contents.
std::string Grown(const std::string& path, const std::string& text) {
  if (!IsThere(path)) return text;
  const std::string old = ReadFile(path, InputFile::Use::kOwnOutput);
  if (old.empty()) return text;
  if (FirstLine(old) != FirstLine(text)) {
    throw Error(ExitCode::kBadData, fmt::format("{} has other columns than this run; give another file", path));
  }
  return old + (old.back() == '\n' ? "" : "\n") + text.substr(FirstLine(text).size());
}

}  // namespace

const std::vector<BenchWriter>& BenchWriters() {
  static const std::vector<BenchWriter> writers = {
      {"json", "google/benchmark's schema and all that is known; what --baseline reads", BenchJson},
      {"csv", "a line per package", BenchCsv},
      {"markdown", "a table for a pull request", BenchMarkdown},
      {"hyperfine", "hyperfine's JSON, for its plotting scripts", BenchHyperfine},
      {"otava", "Apache Otava's CSV; the file grows by a line", BenchOtava, true},
      {"mlperf-system", "the system's description in MLPerf's terms", BenchSystem},
  };
  return writers;
}

const BenchWriter& BenchWriterOf(std::string_view name) {
  std::vector<std::string> names;
  for (const BenchWriter& writer : BenchWriters()) {
    if (writer.name == name) return writer;
    names.emplace_back(writer.name);
  }
  throw Error(ExitCode::kUsage,
              fmt::format("--write: no format {}{}; {} are right", name, DidYouMean(name, names), Names()));
}

BenchFile ParseBenchFile(const std::string& text) {
  const size_t at = text.find('=');
  if (at == std::string::npos || at + 1 == text.size())
    throw Error(ExitCode::kUsage, fmt::format("--write {}: FORMAT=FILE would be right, as json=times.json", text));
  return {&BenchWriterOf(text.substr(0, at)), text.substr(at + 1)};
}

void WriteBenchFile(const BenchFile& file, const BenchResult& result) {
  const std::string text = file.writer->write(result);
  WriteFileAtomically(file.path, file.writer->appends ? Grown(file.path, text) : text);
}

std::string BenchJson(const BenchResult& result) { return DumpJson(ToJson(result)) + "\n"; }

namespace {

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
  const auto add = [&](const TimedPackage& timed, const std::string& precision) {
    const Statistics s = StatisticsOf(timed.samples_ns);
    text +=
        CsvRow({timed.path, timed.package->plan().model, Number(timed.threads), Number(timed.streams), precision,
                Number(static_cast<int64_t>(timed.rounds.size())), Number(timed.runs), Number(s.min_ns),
                Number(s.p10_ns), Number(s.median_ns), Number(s.median_low_ns), Number(s.median_high_ns),
                Number(s.p90_ns), Number(s.p99_ns), fmt::format("{:.3f}", ImagesPerSecond(timed, result.conditions)),
                FingerprintOf(result.machine).ShortId(), result.machine.hone_version, result.context.date});
  };
  for (const TimedPackage& timed : result.packages) add(timed, PrecisionOf(timed.package->plan()));
  for (const RuntimeTimes& each : result.runtimes) {
    if (!each.timed.rounds.empty() && !each.is_hone) add(each.timed, each.precision);
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

namespace {

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

}  // namespace

std::string BenchHyperfine(const BenchResult& result) {
  Json results = Json::array();
  for (const TimedPackage& timed : result.packages) {
    if (timed.rounds.empty()) continue;
    std::vector<double> seconds, cpu;
    for (const Round& round : timed.rounds) {
      seconds.push_back(static_cast<double>(round.p10_ns) / 1e9);
      cpu.push_back(static_cast<double>(round.cpu_ns) / 1e9);
    }
    const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
    results.push_back({{"command", "hone run " + ShellWord(timed.path)},
                       {"mean", Mean(seconds)},
                       {"stddev", StandardDeviation(seconds)},
                       {"median", Median(seconds)},
                       {"user", Mean(cpu)},
                       {"system", 0.0},
                       {"min", *least},
                       {"max", *most},
                       {"times", seconds},
                       {"exit_codes", std::vector<int>(seconds.size(), 0)}});
  }
  return Json{{"results", results}}.dump(2) + "\n";
}

namespace {

// A table of its own; empty if no runtimes were timed.
std::string RuntimesMarkdown(const std::vector<RuntimeTimes>& runtimes) {
  if (runtimes.empty()) return "";
  std::string text =
      "\n| runtime | precision | threads | p10 | median | error | verdict |\n|:---|:---|---:|---:|---:|---:|:---|\n";
  for (const RuntimeTimes& each : runtimes) {
    const Statistics s = StatisticsOf(each.timed.samples_ns);
    text += fmt::format("| {} | {} | {} | {} | {} | {:.1e} | {} |\n", MarkdownCell(each.timed.path), each.precision,
                        each.timed.threads, TimeText(s.p10_ns), TimeText(s.median_ns), each.error,
                        MarkdownCell(RuntimeVerdict(each)));
  }
  return text;
}

}  // namespace

std::string BenchMarkdown(const BenchResult& result) {
  std::string text =
      "| package | precision | threads | streams | min | p10 | median (95 % interval) | p90 | p99 | images/s |\n"
      "|:---|:---|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const TimedPackage& timed : result.packages) {
    const Statistics s = StatisticsOf(timed.samples_ns);
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} ({} .. {}) | {} | {} | {:.1f} |\n", MarkdownCell(timed.path),
                    PrecisionOf(timed.package->plan()), timed.threads, timed.streams, TimeText(s.min_ns),
                    TimeText(s.p10_ns), TimeText(s.median_ns), TimeText(s.median_low_ns), TimeText(s.median_high_ns),
                    TimeText(s.p90_ns), TimeText(s.p99_ns), ImagesPerSecond(timed, result.conditions));
  }
  text += RuntimesMarkdown(result.runtimes) + "\n";
  for (const Verdict& verdict : result.verdicts) text += fmt::format("- {}\n", MarkdownCell(VerdictText(verdict)));
  for (const std::string& note : result.noise.notes) text += fmt::format("- noise: {}\n", MarkdownCell(note));
  text += fmt::format("- {} on {} \\#{}, hone {}, {}\n",
                      Counted(result.packages.empty() ? 0 : result.packages[0].rounds.size(), "round"),
                      MarkdownCell(result.machine.cpu_model), FingerprintOf(result.machine).ShortId(),
                      MarkdownCell(result.machine.hone_version), result.context.date);
  return text;
}

namespace {

std::string CachesText(const MachineContext& context) {
  std::string text;
  for (const CacheContext& cache : context.caches) {
    text += fmt::format("{}L{} {} {}", text.empty() ? "" : ", ", cache.level, cache.type, BytesText(cache.bytes));
  }
  return text;
}

std::string Notes(const BenchResult& result) {
  const Environment& m = result.machine;
  std::string notes = fmt::format("microcode {}; features {}", m.microcode, m.features);
  if (!m.hypervisor.empty()) notes += "; virtual machine (" + m.hypervisor + ")";
  if (!m.governor.empty()) notes += "; governor " + m.governor;
  return notes;
}

// The number as text; empty if it is unknown.
std::string Text(int64_t number) { return number > 0 ? fmt::format("{}", number) : ""; }

}  // namespace

std::string BenchSystem(const BenchResult& result) {
  const Environment& m = result.machine;
  const MachineContext& c = result.context;
  const int threads = result.packages.empty() ? 0 : result.packages[0].threads;
  const Json json = {{"submitter", ""},
                     {"division", "open"},
                     {"category", "available"},
                     {"status", "available"},
                     {"system_name", m.host},
                     {"system_type", "edge"},
                     {"number_of_nodes", "1"},
                     {"host_processors_per_node", Text(c.sockets)},
                     {"host_processor_model_name", m.cpu_model},
                     {"host_processor_core_count", Text(m.cores)},
                     {"host_processor_vcpu_count", Text(c.cpus)},
                     {"host_processor_frequency", c.mhz > 0 ? fmt::format("{} MHz", c.mhz) : ""},
                     {"host_processor_caches", CachesText(c)},
                     {"host_processor_interconnect", ""},
                     {"host_memory_capacity", c.memory_bytes > 0 ? BytesText(c.memory_bytes) : ""},
                     {"host_memory_configuration", ""},
                     {"host_storage_type", ""},
                     {"host_storage_capacity", ""},
                     {"host_networking", ""},
                     {"host_networking_topology", ""},
                     {"accelerators_per_node", "0"},
                     {"accelerator_model_name", ""},
                     {"accelerator_memory_capacity", ""},
                     {"accelerator_memory_configuration", ""},
                     {"accelerator_host_interconnect", ""},
                     {"accelerator_interconnect", ""},
                     {"accelerator_on-chip_memories", ""},
                     {"cooling", ""},
                     {"framework", "hone " + m.hone_version},
                     {"operating_system", c.operating_system},
                     {"other_software_stack", "Linux " + m.kernel},
                     {"hw_notes", Notes(result)},
                     {"sw_notes", Counted(threads, "thread")}};
  return json.dump(2) + "\n";
}

}  // namespace hone
