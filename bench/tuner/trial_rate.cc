// hone_bench_trial_rate [SECONDS]: the checked and timed trials per second of `hone tune` for ResNet-50. Runs on this
// machine, at 1 and 2 threads, from an empty store. Also shows where the time goes and whether memory grows. Prints
// goal, reached and verdict; exits 1 on a miss that docs/why/tuning.md does not bound.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "bench/run_bench.h"
#include "bench/tuner/verdict.h"
#include "compiler/codegen/target/host.h"
#include "compiler/frontend/zoo/zoo.h"
#include "core/error.h"
#include "rpc_runner/local_runner.h"
#include "runtime/session.h"
#include "tuner/tuner.h"

namespace hone::bench {
namespace {

// The private memory of a process; shared memory is bounded by the runner's cache.
double PrivateMb(pid_t pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::strtod(line.c_str() + 8, nullptr) / 1e3;
  }
  return 0;
}

struct Rate {
  double per_second = 0;            // from the start
  double sustained_per_second = 0;  // in the second half of the time
  double overhead_percent = 0;
  double growth_mb = 0;  // of tuner and executor together, in the second half
};

class HalfTime {
 public:
  HalfTime(int64_t half_ns, pid_t executor) : half_ns_(half_ns), executor_(executor) {}

  void Observe(const TuneEvent& event) {
    if (event.kind != TuneEventKind::kTrial) return;
    if (event.elapsed_ns < half_ns_) return;
    if (trial_ == 0) {
      trial_ = event.trial;
      elapsed_ns_ = event.elapsed_ns;
      memory_mb_ = MemoryMb();
    }
    last_trial_ = event.trial;
    last_elapsed_ns_ = event.elapsed_ns;
  }

  double RatePerSecond() const {
    const auto seconds = static_cast<double>(last_elapsed_ns_ - elapsed_ns_) / 1e9;
    return seconds > 0 ? static_cast<double>(last_trial_ - trial_) / seconds : 0;
  }
  double GrowthMb() const { return MemoryMb() - memory_mb_; }

 private:
  double MemoryMb() const { return PrivateMb(getpid()) + PrivateMb(executor_); }

  const int64_t half_ns_;
  const pid_t executor_;
  int64_t trial_ = 0, elapsed_ns_ = 0, last_trial_ = 0, last_elapsed_ns_ = 0;
  double memory_mb_ = 0;
};

Rate Measure(const std::vector<Task>& tasks, const TuneOptions& options, const std::filesystem::path& store_path) {
  LocalRunner runner({});
  const std::unique_ptr<RecordStore> store = RecordStore::Open(store_path);
  HalfTime half(options.budget.time_ns / 2, runner.executor_pid());
  const TuneReport report =
      Tune(tasks, options, runner, *store, [&half](const TuneEvent& event) { half.Observe(event); });
  Rate rate;
  rate.per_second = report.trials_per_second;
  rate.sustained_per_second = half.RatePerSecond();
  const int64_t search_ns = std::max<int64_t>(1, report.elapsed_ns - report.finals_ns);
  rate.overhead_percent = 100 * static_cast<double>(report.costs.other_ns(search_ns)) / static_cast<double>(search_ns);
  rate.growth_mb = half.GrowthMb();
  return rate;
}

void Judge(int threads, double goal, int64_t seconds, Verdicts& verdicts) {
  TuneOptions options;
  options.context.target = HostTarget();
  options.context.threads = threads;
  options.budget.time_ns = seconds * 1'000'000'000;
  options.budget.early_stopping = 0;
  options.model = "zoo:resnet-50";
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("hone_trial_rate_{}", getpid());
  std::filesystem::create_directories(folder);
  const Rate rate =
      Measure(ExtractTasks(BuildZoo("resnet-50"), options.context), options, folder / fmt::format("{}.db", threads));
  std::filesystem::remove_all(folder);
  const std::string at = fmt::format("at {} thread{}", threads, threads == 1 ? "" : "s");
  verdicts.AtLeast(fmt::format("trials a second {}, second half of {} s", at, seconds), goal,
                   rate.sustained_per_second);
  verdicts.AtLeast(fmt::format("trials a second {}, references and first inputs too", at), goal, rate.per_second);
  verdicts.AtMost(fmt::format("% of the search {} not compiling, checking or timing", at), 10, rate.overhead_percent);
  verdicts.AtMost(fmt::format("MB grown {} in the second half", at), 10, rate.growth_mb);
}

int Run(int argc, char** argv) {
  const int64_t seconds = argc > 1 ? std::atoll(argv[1]) : 60;
  if (seconds < 2) throw Error(ExitCode::kUsage, "hone_bench_trial_rate [SECONDS], at least 2, is right");
  Verdicts verdicts(ReadBounds(std::string("docs/why/tuning.md")));
  Judge(1, 40, seconds, verdicts);
  if (AllowedCores() >= 2) Judge(2, 20, seconds, verdicts);
  return verdicts.all_met() ? 0 : 1;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::RunBench("hone_bench_trial_rate", [&] { return hone::bench::Run(argc, argv); });
}
