#include "lab/bench/timed_package.h"

#include <algorithm>
#include <cmath>

#include "lab/statistics.h"

namespace hone {

Round RoundOf(const std::vector<int64_t>& samples_ns, int64_t runs, int64_t cpu_ns, int64_t wall_ns) {
  const Statistics s = StatisticsOf(samples_ns);
  Round round{s.p10_ns, s.median_ns, runs};
  round.cpu_ns = runs > 0 ? cpu_ns / runs : 0;
  round.runs_per_second = 1e9 * static_cast<double>(runs) / static_cast<double>(std::max<int64_t>(wall_ns, 1));
  return round;
}

std::vector<int64_t> RoundTimes(const TimedPackage& timed, bool throughput) {
  std::vector<int64_t> times_ns;
  for (const Round& round : timed.rounds)
    times_ns.push_back(throughput ? std::llround(1e9 / round.runs_per_second) : round.p10_ns);
  return times_ns;
}

}  // namespace hone
