// hone_bench_finals [TRIALS [SEED]]: how often finals are right about two kernels of known times; exits 1 on a miss.
// Runs TRIALS pairs of a kernel with itself (1000 by default), and a fifth as many with a gap.
#include <algorithm>
#include <cstdio>
#include <functional>

#include "bench/run_bench.h"
#include "bench/tuner/duty_spinner.h"
#include "bench/tuner/paired_finals.h"
#include "bench/tuner/verdict.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "runtime/threads/allowed_cores.h"

namespace hone::bench {
namespace {

// The percentage of finals for which `wanted` holds.
double Percent(Runner& runner, double gap, int64_t trials, uint64_t seed,
               const std::function<bool(const FinalsVerdict&)>& wanted) {
  PairedFinals pair(runner, gap, seed);
  int64_t count = 0;
  for (int64_t i = 0; i < trials; ++i) count += wanted(pair.Hold()) ? 1 : 0;
  return 100.0 * static_cast<double>(count) / static_cast<double>(trials);
}

bool RanksTheChallengerFirst(const FinalsVerdict& v) { return v.standings[1].ns.median < v.standings[0].ns.median; }

int Run(int64_t trials, uint64_t seed) {
  const int64_t with_gap = std::max<int64_t>(1, trials / 5);
  // The first CPU handles the interrupts, so the last one is used.
  const int cpu = AffinityCpus().back();
  const auto runner = MakeLocalRunner({cpu});
  Verdicts verdicts;
  verdicts.AtMost(fmt::format("% of {} finals that call a kernel different from itself", trials), 5,
                  Percent(*runner, 0, trials, seed, [](const FinalsVerdict& v) { return v.standings[1].differs; }));
  verdicts.AtLeast(fmt::format("% of {} finals that a kernel 5 % faster wins", with_gap), 90,
                   Percent(*runner, 0.05, with_gap, seed, [](const FinalsVerdict& v) { return v.winner == 1; }));
  const DutySpinner neighbour(cpu, 0.3);
  verdicts.AtLeast(fmt::format("% of {} finals that rank 3 % right beside a 30 % neighbour", with_gap), 98,
                   Percent(*runner, 0.03, with_gap, seed, RanksTheChallengerFirst));
  return verdicts.all_met() ? 0 : 1;
}

int64_t Number(const char* text) {
  const auto number = ParseInteger(text);
  if (number && *number > 0) return *number;
  throw Error(ExitCode::kUsage, "hone_bench_finals [TRIALS [SEED]] is right, with positive numbers");
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::RunBench("hone_bench_finals", [&] {
    return hone::bench::Run(argc > 1 ? hone::bench::Number(argv[1]) : 1000,
                            argc > 2 ? static_cast<uint64_t>(hone::bench::Number(argv[2])) : 1);
  });
}
