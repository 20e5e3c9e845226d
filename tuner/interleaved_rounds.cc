#include "tuner/interleaved_rounds.h"

#include <deque>
#include <map>
#include <numeric>
#include <utility>

#include "core/error.h"

namespace hone {
namespace {

constexpr int64_t kLookNs = 100'000'000;  // how often `halted` is asked while a job runs
constexpr int64_t kNoSlotNs = 20'000'000;
constexpr int64_t kPatienceNs = 60'000'000'000;

struct Turn {
  size_t job = 0;
  size_t round = 0;
};

std::deque<Turn> DrawTurns(size_t jobs, int rounds, Random& random) {
  std::deque<Turn> turns;
  std::vector<size_t> order(jobs);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t round = 0; round < static_cast<size_t>(rounds); ++round) {
    for (size_t i = jobs; i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
    for (size_t job : order) turns.push_back({job, round});
  }
  return turns;
}

class Rounds {
 public:
  Rounds(Runner& runner, const std::vector<KernelJob>& jobs, int rounds, const TuneTools& tools)
      : runner_(runner), jobs_(jobs), tools_(tools), results_(jobs.size()) {
    for (auto& of_job : results_) of_job.resize(static_cast<size_t>(rounds));
  }

  // False when they did not come to their end; what was under way is waited for all the same.
  bool Run(std::deque<Turn> turns, const std::function<bool()>& halted) {
    last_progress_ns_ = tools_.now_ns();
    while (!turns.empty() || !under_way_.empty()) {
      if (lost_ || halted()) {
        complete_ = complete_ && turns.empty();
        turns.clear();
      }
      while (!turns.empty() && runner_.FreeSlots() > 0) {
        under_way_[runner_.Submit(jobs_[turns.front().job])] = turns.front();
        turns.pop_front();
        last_progress_ns_ = tools_.now_ns();
      }
      if (!turns.empty() || !under_way_.empty()) WaitForOne();
    }
    return complete_ && !lost_;
  }

  std::vector<std::vector<Measurement>> Take() { return std::move(results_); }

 private:
  void WaitForOne() {
    if (under_way_.empty()) {
      if (tools_.now_ns() - last_progress_ns_ > kPatienceNs) {
        throw Error(ExitCode::kNoRunner, "the runner has taken no job of the finals for a minute");
      }
      return tools_.sleep(kNoSlotNs);
    }
    JobResult result;
    if (!runner_.Wait(kLookNs, &result)) return;
    const auto job = under_way_.find(result.id);
    if (job == under_way_.end()) return;
    const Fate fate = result.measurement.fate;
    lost_ = lost_ || fate == Fate::kRunnerLost || fate == Fate::kCancelled;
    results_[job->second.job][job->second.round] = std::move(result.measurement);
    under_way_.erase(job);
    last_progress_ns_ = tools_.now_ns();
  }

  Runner& runner_;
  const std::vector<KernelJob>& jobs_;
  const TuneTools& tools_;
  std::vector<std::vector<Measurement>> results_;
  std::map<JobId, Turn> under_way_;
  int64_t last_progress_ns_ = 0;
  bool complete_ = true, lost_ = false;
};

}  // namespace

std::vector<std::vector<Measurement>> InterleavedRounds(Runner& runner, const std::vector<KernelJob>& jobs, int rounds,
                                                        Random& random, const TuneTools& tools,
                                                        const std::function<bool()>& halted) {
  Rounds all(runner, jobs, rounds, tools);
  if (!all.Run(DrawTurns(jobs.size(), rounds, random), halted)) return {};
  return all.Take();
}

}  // namespace hone
