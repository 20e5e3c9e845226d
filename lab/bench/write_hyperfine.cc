#include <algorithm>

#include "core/text/shell_word.h"
#include "lab/bench/writers.h"
#include "lab/statistics.h"

namespace hone {
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

}  // namespace hone
