// hone_bench_tuner SPACES [SEEDS]: what the tuner's parts reach against their goals; exit code 1 on a miss.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "bench/tuner/replay_strategies.h"
#include "core/error.h"

namespace hone::bench {
namespace {

int Run(int argc, char** argv) {
  if (argc < 2) throw Error(ExitCode::kUsage, "hone_bench_tuner SPACES [SEEDS] is right");
  Verdicts verdicts;
  ReplayStrategies(ReadRecordedSpaces(argv[1]), argc > 2 ? std::max(1, std::atoi(argv[2])) : 20, verdicts);
  return verdicts.all_met() ? 0 : 1;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  try {
    return hone::bench::Run(argc, argv);
  } catch (const hone::Error& error) {
    fmt::print(stderr, "hone_bench_tuner: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
