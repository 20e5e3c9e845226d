#include "lab/bench/time_packages.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/ceil_div.h"
#include "core/nth.h"
#include "lab/bench/start_order.h"
#include "lab/bench/timed_package.h"
#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

constexpr int64_t kMinRunsHere = 10;
constexpr int64_t kMostSamples = 10'000;
constexpr int64_t kLeastRequestNs = 2'000'000;
// With four busy programs on two cores, the warm-up times of two copies differ up to fivefold.
constexpr double kUnlike = 8;

// One package's turns in one round.
class Turns {
 public:
  Turns(TimedPackage& timed, std::unique_ptr<Session> session) : timed_(timed), session_(std::move(session)) {}

  Turns(TimedPackage& timed, OtherRuntime& other, bool loaded) : timed_(timed), other_(&other), failed_(!loaded) {}

  // Warms up and returns the time of one run.
  int64_t Warm(WarmUp warm_up) {
    int64_t runs = 1;
    while (!failed_ && !warm_up.over()) {
      const int64_t ns = RunNs(runs);
      if (failed_) break;
      warm_up.Add(ns / runs, runs);
      // A request to another process takes as long as many quick runs.
      if (other_ != nullptr && ns < kLeastRequestNs) runs *= 2;
    }
    timed_.settled = timed_.settled && warm_up.settled();
    return failed_ ? 1 : warm_up.run_ns();
  }

  // Counts runs, or time if runs is 0.
  void Begin(int64_t runs, int64_t min_runs, int64_t min_ns) {
    runs_ = runs;
    min_runs_ = min_runs;
    min_ns_ = min_ns;
  }

  bool Enough() const { return failed_ || RanEnough(); }

  bool RanEnough() const { return runs_ > 0 ? done_ >= runs_ : done_ >= min_runs_ && spent_ns_ >= min_ns_; }

  void Take() {
    const int64_t left = runs_ > 0 ? runs_ - done_ : timed_.batch;
    const int64_t runs = std::min(timed_.batch, left);
    if (failed_ || runs <= 0) return;
    const int64_t cpu_ns = ProcessCpuNs(), ns = RunNs(runs);
    if (failed_) return;
    // The CPU time of another process is unknown, which is 0.
    if (other_ == nullptr) cpu_ns_ += ProcessCpuNs() - cpu_ns;
    spent_ns_ += ns;
    done_ += runs;
    samples_ns_.push_back(ns / runs);
  }

  void Keep() {
    if (failed_) return;
    timed_.runs += done_;
    timed_.samples_ns.insert(timed_.samples_ns.end(), samples_ns_.begin(), samples_ns_.end());
    timed_.rounds.push_back(RoundOf(samples_ns_, done_, cpu_ns_, spent_ns_));
  }

  // The median time of each call over the runs.
  std::vector<int64_t> Profile(int runs) {
    if (session_ == nullptr) return {};
    std::vector<std::vector<int64_t>> by_call;
    for (int run = 0; run < runs; ++run) {
      const std::vector<int64_t> times = session_->RunProfiled();
      by_call.resize(times.size());
      for (size_t i = 0; i < times.size(); ++i) by_call[i].push_back(times[i]);
    }
    std::vector<int64_t> medians;
    for (std::vector<int64_t>& times : by_call) {
      std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
      medians.push_back(times[times.size() / 2]);
    }
    return medians;
  }

 private:
  int64_t RunNs(int64_t runs) {
    if (other_ != nullptr) {
      const int64_t ns = other_->RunNs(runs);
      failed_ = ns == 0;
      return ns;
    }
    const int64_t start = MonotonicNs();
    for (int64_t i = 0; i < runs; ++i) session_->Run();
    return MonotonicNs() - start;
  }

  TimedPackage& timed_;
  std::unique_ptr<Session> session_;
  OtherRuntime* other_ = nullptr;
  bool failed_ = false;
  int64_t runs_ = 0, min_runs_ = 0, min_ns_ = 0;
  int64_t done_ = 0, spent_ns_ = 0, cpu_ns_ = 0;
  std::vector<int64_t> samples_ns_;
};

class Benchmark {
 public:
  Benchmark(const std::vector<std::string>& paths, const TimePackagesOptions& options)
      : options_(options),
        pool_(options.threads > 0 ? options.threads : AllowedCores()),
        start_order_(options.others.size()),
        timed_(paths.size() + options.others.size()) {
    if (options_.runs > 0) options_.rounds = static_cast<int>(std::min<int64_t>(options_.rounds, options_.runs));
    for (size_t i = 0; i < paths.size(); ++i) {
      files_.emplace_back(paths[i], options_.inputs);
      timed_[i].path = paths[i];
      timed_[i].package = files_[i].first();
      timed_[i].extents = files_[i].extents();
    }
    for (TimedPackage& timed : timed_) timed.threads = pool_.threads();
  }

  std::vector<TimedPackage> Run() {
    int round = 0;
    do {
      for (const int end = std::max(options_.rounds, 2 * round); round < end; ++round) {
        options_.progress(round);
        RunRound(round);
      }
    } while (options_.goes_on && 2 * round <= kMostBenchRounds && options_.goes_on(timed_));
    options_.progress(round);
    return std::move(timed_);
  }

 private:
  // The packages in this round's order.
  std::vector<size_t> Order(int round) const {
    std::vector<size_t> order;
    for (size_t i = 0; i < timed_.size(); ++i) order.push_back((i + static_cast<size_t>(round)) % timed_.size());
    return order;
  }

  // Whether each could be loaded. None begins before all have left, because it would get its own memory back.
  std::vector<bool> LoadOthers() {
    for (OtherRuntime* const other : options_.others) other->Leave();
    std::vector<bool> loaded(options_.others.size());
    for (const size_t i : start_order_.Next()) loaded[i] = options_.others[i]->LoadAnew();
    return loaded;
  }

  void RunRound(int round) {
    const std::vector<bool> loaded = LoadOthers();
    std::vector<MappedBytes> gaps;
    std::vector<Turns> turns;
    for (const size_t i : Order(round)) {
      if (i >= files_.size()) {
        turns.emplace_back(timed_[i], *options_.others[i - files_.size()], loaded[i - files_.size()]);
        continue;
      }
      gaps.push_back(TakeGap(random_));
      turns.emplace_back(timed_[i], files_[i].Start(files_[i].Load(), {.pool = &pool_}));
    }
    Warm(round, turns);
    const int64_t rounds = options_.rounds;
    for (Turns& each : turns) {
      each.Begin(options_.runs > 0 ? RunsOfRound(options_.runs, round, options_.rounds) : 0,
                 CeilDiv(kMinRunsHere, rounds), CeilDiv(options_.min_time_ns, rounds));
    }
    // All packages go on until the last has enough, so that the samples stay pairs of one moment.
    while (!std::all_of(turns.begin(), turns.end(), [](const Turns& t) { return t.Enough(); })) {
      for (Turns& each : turns) each.Take();
    }
    for (Turns& each : turns) each.Keep();
    if (round == options_.rounds - 1) Profile(turns, Order(round));
  }

  void Warm(int round, std::vector<Turns>& turns) {
    const int64_t least_ns = round == 0 ? options_.first_warm_up_ns : options_.warm_up_ns;
    std::vector<int64_t> run_ns(timed_.size());
    const std::vector<size_t> order = Order(round);
    for (size_t k = 0; k < turns.size(); ++k) {
      run_ns[order[k]] = turns[k].Warm(WarmUp(least_ns, std::max(least_ns, options_.most_warm_up_ns)));
    }
    if (round > 0) return;
    const std::vector<int64_t> batches = RunsPerSample(run_ns, options_);
    for (size_t i = 0; i < timed_.size(); ++i) timed_[i].batch = batches[i];
  }

  void Profile(std::vector<Turns>& turns, const std::vector<size_t>& order) {
    for (size_t k = 0; k < turns.size(); ++k) timed_[order[k]].call_ns = turns[k].Profile(options_.profiled_runs);
  }

  TimePackagesOptions options_;
  ThreadPool pool_;         // one for all sessions: helpers that wait for another session's work would disturb
  StartOrder start_order_;  // of the others
  std::vector<LoadedAnew> files_;
  std::vector<TimedPackage> timed_;
  Random random_{1};
};

}  // namespace

std::vector<int64_t> RunsPerSample(const std::vector<int64_t>& run_ns, const TimePackagesOptions& options) {
  if (options.runs > 0) return std::vector<int64_t>(run_ns.size(), CeilDiv(options.runs, kMostSamples));
  // Packages that may be equally fast have the same number of runs in a sample. A neighbour may disturb the warm-up of
  // one of two copies. If one's samples were then single runs and the other's means of two, noise would raise the 10th
  // percentile of the means in every round.
  const int64_t slowest_ns = std::max<int64_t>(1, *std::max_element(run_ns.begin(), run_ns.end()));
  const int64_t least_ns = std::max(options.min_time_ns / kMostSamples, options.others.empty() ? 0 : kLeastRequestNs);
  const int64_t of_slowest = std::max<int64_t>(1, least_ns / slowest_ns);
  std::vector<int64_t> batches;
  for (const int64_t ns : run_ns) {
    const double times = static_cast<double>(slowest_ns) / static_cast<double>(std::max<int64_t>(1, ns));
    batches.push_back(times < kUnlike ? of_slowest : of_slowest * std::llround(times));
  }
  return batches;
}

int64_t RunsOfRound(int64_t runs, int round, int rounds) { return runs * (round + 1) / rounds - runs * round / rounds; }

std::vector<TimedPackage> TimePackages(const std::vector<std::string>& paths, const TimePackagesOptions& options) {
  return Benchmark(paths, options).Run();
}

namespace {

// A short warm-up suffices: the clocks have risen while the package was timed.
constexpr int64_t kLeastEnergyWarmUpNs = 20'000'000, kMostEnergyWarmUpNs = 1'000'000'000;

void Warm(Session& session) {
  for (WarmUp warm_up(kLeastEnergyWarmUpNs, kMostEnergyWarmUpNs); !warm_up.over();) {
    const int64_t begin_ns = MonotonicNs();
    session.Run();
    warm_up.Add(MonotonicNs() - begin_ns);
  }
}

}  // namespace

void MeasureEnergy(const InputOptions& inputs, int64_t min_ns, const std::function<double()>& joules,
                   std::vector<TimedPackage>& packages) {
  for (TimedPackage& timed : packages) {
    const LoadedAnew file(timed.path, inputs);
    const std::unique_ptr<Session> session = file.Start(file.first(), {.threads = timed.threads});
    Warm(*session);
    int64_t runs = 0;
    const double before = joules();
    const int64_t begin_ns = MonotonicNs();
    do {
      session->Run();
      ++runs;
    } while (MonotonicNs() - begin_ns < min_ns);
    timed.joules_per_run = (joules() - before) / static_cast<double>(runs);
  }
}

}  // namespace hone
