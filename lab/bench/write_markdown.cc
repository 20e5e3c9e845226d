#include <fmt/format.h>

#include "core/machine/fingerprint.h"
#include "core/text/printable.h"
#include "lab/bench/package_facts.h"
#include "lab/bench/writers.h"
#include "lab/statistics.h"
#include "lab/text/number_text.h"

namespace hone {
namespace {

// Text from outside as a cell, escaped so that it is no markup and does not end the cell.
std::string EscapedMarkdown(const std::string& text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    if (std::string_view("\\`*_{}[]<>()#+!|&~").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::string BenchMarkdown(const BenchResult& result) {
  std::string text =
      "| package | precision | threads | streams | min | p10 | median (95 % interval) | p90 | p99 | images/s |\n"
      "|:---|:---|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const TimedPackage& timed : result.packages) {
    const Statistics s = StatisticsOf(timed.samples_ns);
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} ({} .. {}) | {} | {} | {:.1f} |\n", EscapedMarkdown(timed.path),
                    PrecisionOf(timed.package->plan()), timed.threads, timed.streams, TimeText(s.min_ns),
                    TimeText(s.p10_ns), TimeText(s.median_ns), TimeText(s.median_low_ns), TimeText(s.median_high_ns),
                    TimeText(s.p90_ns), TimeText(s.p99_ns), ImagesPerSecond(timed, result.conditions));
  }
  text += "\n";
  for (const Verdict& verdict : result.verdicts) text += fmt::format("- {}\n", EscapedMarkdown(VerdictText(verdict)));
  for (const std::string& note : result.noise.notes) text += fmt::format("- noise: {}\n", EscapedMarkdown(note));
  text += fmt::format("- {} rounds on {} \\#{}, hone {}, {}\n",
                      result.packages.empty() ? 0 : result.packages[0].rounds.size(),
                      EscapedMarkdown(result.machine.cpu_model), FingerprintOf(result.machine).ShortId(),
                      EscapedMarkdown(result.machine.hone_version), result.context.date);
  return text;
}

}  // namespace hone
