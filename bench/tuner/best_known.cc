// hone_bench_best_known SPACES SECONDS STORE...: tunes ResNet-50 on one thread for SECONDS from an empty store. Times
// its choices and the best known configs in interleaved rounds, and the models built from them. The best known come
// from the STOREs, filled by long runs, and from the folder SPACES. Prints every task that is more than 1 % off, then
// goal, reached and verdict; exits 1 on a miss.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>

#include "bench/run_bench.h"
#include "bench/tuner/recorded_space.h"
#include "bench/tuner/verdict.h"
#include "compiler/codegen/target/host.h"
#include "compiler/frontend/zoo/zoo.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "runtime/session.h"
#include "tuner/finals/finals_stage.h"
#include "tuner/finals/interleaved_rounds.h"
#include "tuner/record_config_source.h"
#include "tuner/search/strategy.h"
#include "tuner/tuner.h"

namespace hone::bench {
namespace {

constexpr int64_t kRivals = 4;  // from each store, per task
constexpr const char* kModel = "zoo:resnet-50";
constexpr int kModelRuns = 60;
constexpr size_t kOfASpace = 3;  // and from a recorded space

// The configs to compare for a task: the first is the tuner's own choice.
using Rivals = std::vector<Proposal>;

void AddUnlessKnown(Rivals& rivals, Proposal proposal) {
  if (std::find(rivals.begin(), rivals.end(), proposal) == rivals.end()) rivals.push_back(std::move(proposal));
}

void AddOfStore(const RecordStore& store, const Task& task, const Target& target, const Fingerprint& machine,
                Rivals& rivals) {
  for (const RecordStore::Ranked& ranked : store.Best(task.workload.ToText(), target, machine, 1, kRivals)) {
    if (ranked.rank == 0) AddUnlessKnown(rivals, {ranked.record.candidate.schedule, ranked.record.candidate.config});
  }
}

void AddOfSpace(const RecordedSpace& space, Rivals& rivals) {
  std::vector<std::pair<int64_t, Proposal>> timed;
  for (const RecordedPart& part : space.parts) {
    for (size_t i = 0; i < part.times_ns.size(); ++i) {
      if (part.times_ns[i] > 0)
        timed.emplace_back(part.times_ns[i], Proposal{part.schedule, part.space.At(static_cast<int64_t>(i))});
    }
  }
  const size_t most = std::min(kOfASpace, timed.size());
  std::partial_sort(timed.begin(), timed.begin() + static_cast<ptrdiff_t>(most), timed.end(),
                    [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < most; ++i) AddUnlessKnown(rivals, timed[i].second);
}

std::vector<KernelJob> JobsOf(const Task& task, const Target& target, const Rivals& rivals, const TuneTools& tools) {
  const Artifact reference = tools.reference(task.workload, target);
  std::vector<KernelJob> jobs;
  for (const Proposal& rival : rivals) {
    auto built = tools.compile({task.workload, rival.schedule, rival.config, target});
    if (const auto* rejection = std::get_if<Rejection>(&built)) {
      throw Error(ExitCode::kBadData, task.workload.ToText() + ": " + rejection->reason);
    }
    KernelJob job{
        std::get<Artifact>(std::move(built)), reference, FindSchedule(rival.schedule)->tolerance(), {1, 2}, {}};
    job.timing.min_samples = job.timing.max_samples = FinalsStage::kSamples;
    jobs.push_back(std::move(job));
  }
  return jobs;
}

// The median over the rounds of each rival's least sample.
std::vector<double> TimesNs(Runner& runner, const std::vector<KernelJob>& jobs, const TuneTools& tools) {
  Random random(1);
  const auto results = InterleavedRounds(runner, jobs, FinalsStage::kRounds, random, tools, [] { return false; });
  if (results.empty()) throw Error(ExitCode::kNoRunner, "the runner was lost");
  std::vector<double> times_ns;
  for (const std::vector<Measurement>& rounds : results) {
    std::vector<int64_t> least_ns;
    for (const Measurement& m : rounds) {
      if (m.fate != Fate::kOk) throw Error(ExitCode::kBadData, "a kernel that was right is not: " + m.message);
      least_ns.push_back(m.MinNs());
    }
    times_ns.push_back(static_cast<double>(MedianOf(least_ns).median));
  }
  return times_ns;
}

struct Sums {
  double chosen_ns = 0, best_ns = 0;
};

void AddTask(const TaskReport& task, const Rivals& rivals, const std::vector<double>& times_ns, Sums& sums) {
  const auto best = static_cast<size_t>(std::min_element(times_ns.begin(), times_ns.end()) - times_ns.begin());
  sums.chosen_ns += task.uses * times_ns[0];
  sums.best_ns += task.uses * times_ns[best];
  if (times_ns[0] <= 1.01 * times_ns[best]) return;
  fmt::print("{}: {:.2f} us, {:.2f} with {} {}\n", task.workload.ToText(), times_ns[0] / 1e3, times_ns[best] / 1e3,
             rivals[best].schedule, rivals[best].config.ToText());
}

// A store that is removed with the value.
class ScratchStore {
 public:
  ScratchStore()
      : path_((std::filesystem::temp_directory_path() / fmt::format("hone_best_known_{}.db", getpid())).string()),
        store_(RecordStore::Open(path_)) {}
  ~ScratchStore() {
    store_.reset();
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(path_ + suffix);
  }
  ScratchStore(const ScratchStore&) = delete;
  ScratchStore& operator=(const ScratchStore&) = delete;
  RecordStore& operator*() { return *store_; }

 private:
  const std::string path_;
  std::unique_ptr<RecordStore> store_;
};

TuneReport TuneAfresh(const std::vector<Task>& tasks, const Target& target, int64_t seconds, Runner& runner,
                      RecordStore& store) {
  TuneOptions options;
  options.context.target = target;
  options.budget.time_ns = seconds * 1'000'000'000;
  options.model = kModel;
  options.seed = 97;
  return Tune(tasks, options, runner, store);
}

// The least time of some runs, on one thread, of the model built from the store's records.
double BuiltModelNs(const relay::IRModule& module, const Target& target, const RecordStore& store,
                    const Fingerprint& machine) {
  RecordConfigSource configs(store, machine);
  BuildOptions options;
  options.context.target = target;
  options.configs = &configs;
  SessionOptions one_thread;
  one_thread.threads = 1;
  Session session(Package::FromBytes(Build(module, options).package, kModel), one_thread);
  int64_t least_ns = std::numeric_limits<int64_t>::max();
  for (int run = 0; run < kModelRuns; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    session.Run();
    least_ns = std::min<int64_t>(least_ns, std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
  }
  return static_cast<double>(least_ns);
}

int Run(const std::string& spaces_folder, int64_t seconds, const std::vector<std::string>& stores) {
  const Target target = HostTarget();
  const relay::IRModule module = BuildZoo("resnet-50");
  const std::vector<Task> tasks = ExtractTasks(module, {target});
  const std::vector<RecordedSpace> spaces = ReadRecordedSpaces(spaces_folder);
  std::vector<std::unique_ptr<RecordStore>> known;
  known.reserve(stores.size());
  for (const std::string& store : stores) known.push_back(RecordStore::Open(store, false));
  const auto runner = MakeLocalRunner();
  const Fingerprint machine = FingerprintOf(runner->Describe());
  const TuneTools tools = RealTuneTools();
  ScratchStore store;
  const TuneReport report = TuneAfresh(tasks, target, seconds, *runner, *store);
  fmt::print("{} trials in {:.0f} s\n", report.trials, static_cast<double>(report.elapsed_ns) / 1e9);
  Sums sums;
  for (size_t i = 0; i < tasks.size(); ++i) {
    Rivals rivals{{report.tasks[i].best_schedule, Config::Parse(report.tasks[i].best_config)}};
    for (const auto& known_store : known) AddOfStore(*known_store, tasks[i], target, machine, rivals);
    for (const RecordedSpace& space : spaces) {
      if (space.workload == tasks[i].workload && space.target.cpu == target.cpu) AddOfSpace(space, rivals);
    }
    AddTask(report.tasks[i], rivals, TimesNs(*runner, JobsOf(tasks[i], target, rivals, tools), tools), sums);
  }
  fmt::print("sum over uses: {:.3f} ms chosen, {:.3f} ms best known\n", sums.chosen_ns / 1e6, sums.best_ns / 1e6);
  Verdicts verdicts(ReadBounds(std::string("docs/why/tuning.md")));
  verdicts.AtMost(fmt::format("% that ResNet-50's kernels after {} s are over the best known", seconds), 3,
                  100 * (sums.chosen_ns / sums.best_ns - 1));
  const double built_ns = BuiltModelNs(module, target, *store, machine);
  fmt::print("built with them: {:.3f} ms\n", built_ns / 1e6);
  verdicts.AtLeast("% of the built model's least time that its kernels' times sum to", 90,
                   100 * sums.chosen_ns / built_ns);
  return verdicts.all_met() ? 0 : 1;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::RunBench("hone_bench_best_known", [&] {
    const auto seconds = argc > 3 ? hone::ParseInteger(argv[2]) : std::nullopt;
    if (!seconds || *seconds <= 0) {
      throw hone::Error(hone::ExitCode::kUsage, "hone_bench_best_known SPACES SECONDS STORE... is right");
    }
    return hone::bench::Run(argv[1], *seconds, {argv + 3, argv + argc});
  });
}
