// hone_bench_tuner SPACES [SEEDS [PAGE]]: compares the tuner's parts with their goals. PAGE (default:
// docs/why/tuning.md) names the bounds of rows that miss theirs. Exits 1 on a miss that it does not name.
// hone_bench_tuner spaces MODEL: every task's space of a zoo network, and the time that timing all of it would take.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/run_bench.h"
#include "bench/tuner/bounds.h"
#include "bench/tuner/model_spaces.h"
#include "bench/tuner/replay_strategies.h"
#include "core/error.h"

namespace hone::bench {
namespace {

int Run(int argc, char** argv) {
  if (argc < 2) throw Error(ExitCode::kUsage, "hone_bench_tuner SPACES [SEEDS [PAGE]] or spaces MODEL is right");
  if (argc == 3 && std::string(argv[1]) == "spaces") {
    PrintModelSpaces(argv[2]);
    return 0;
  }
  Verdicts verdicts(ReadBounds(std::string(argc > 3 ? argv[3] : "docs/why/tuning.md")));
  const std::vector<RecordedSpace> spaces = ReadRecordedSpaces(argv[1]);
  ReplayStrategies(spaces, argc > 2 ? std::max(1, std::atoi(argv[2])) : 20, verdicts);
  TimeLearning(spaces, verdicts);
  return verdicts.all_met() ? 0 : 1;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::RunBench("hone_bench_tuner", [&] { return hone::bench::Run(argc, argv); });
}
