#include "tuner/finals/interleaved_rounds.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "core/error.h"

namespace hone {
namespace {

// Jobs of one set. More would not keep its machine busier, and a halt must wait for them.
constexpr size_t kMostUnderWay = 4;
constexpr int kTries = 2;

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

// One set while it is measured.
class Rounds {
 public:
  Rounds(Runner& runner, RoundSet& set, int rounds) : runner_(runner), set_(set), rounds_(rounds) { Begin(); }

  bool waits() const { return !turns_.empty() && under_way_.size() < kMostUnderWay; }
  size_t under_way() const { return under_way_.size(); }
  bool over() const { return turns_.empty() && under_way_.empty(); }

  // Jobs under way are still waited for, until they are given up.
  void Halt() {
    complete_ = complete_ && turns_.empty();
    turns_.clear();
  }

  void GiveUp() {
    complete_ = complete_ && under_way_.empty();
    under_way_.clear();
  }

  void SubmitOne() {
    KernelJob job = set_.jobs[turns_.front().job];
    job.group = group_->number();
    under_way_[runner_.Submit(std::move(job))] = turns_.front();
    turns_.pop_front();
  }

  // Returns false when the result is another set's.
  bool Take(JobResult& result) {
    const auto job = under_way_.find(result.id);
    if (job == under_way_.end()) return false;
    const Fate fate = result.measurement.fate;
    lost_ = lost_ || fate == Fate::kRunnerLost || fate == Fate::kCancelled;
    if (fate == Fate::kCancelled && result.measurement.detail != 0) {
      set_.trouble = {fate, result.measurement.message, static_cast<ExitCode>(result.measurement.detail)};
    }
    set_.results[job->second.job][job->second.round] = std::move(result.measurement);
    done_[result.id] = job->second;
    under_way_.erase(job);
    if (lost_) turns_.clear();
    if (lost_ && under_way_.empty() && complete_ && ++tries_ < kTries) Begin();
    return true;
  }

  void Take(const SuspectResult& suspect) {
    const auto turn = done_.find(suspect.id);
    if (turn == done_.end()) return;
    Measurement& measurement = set_.results[turn->second.job][turn->second.round];
    measurement.noisy = true;
    measurement.environment.health = suspect.why;
  }

  void End() {
    group_.reset();
    if (!complete_ || lost_) set_.results.clear();
    if (!lost_) set_.trouble.reset();
  }

 private:
  void Begin() {
    lost_ = false;
    group_.emplace(runner_);
    done_.clear();
    turns_ = DrawTurns(set_.jobs.size(), rounds_, set_.random);
    set_.results.assign(set_.jobs.size(), std::vector<Measurement>(static_cast<size_t>(rounds_)));
  }

  Runner& runner_;
  RoundSet& set_;
  const int rounds_;
  std::optional<JobGroup> group_;
  std::deque<Turn> turns_;
  std::map<JobId, Turn> under_way_, done_;
  int tries_ = 0;
  bool complete_ = true, lost_ = false;
};

class AllRounds {
 public:
  AllRounds(Runner& runner, std::vector<RoundSet>& sets, int rounds, const TuneTools& tools)
      : runner_(runner), tools_(tools) {
    for (RoundSet& set : sets) rounds_.emplace_back(runner, set, rounds);
  }

  void Run(const std::function<bool()>& halted) {
    last_progress_ns_ = tools_.now_ns();
    while (!std::all_of(rounds_.begin(), rounds_.end(), [](const Rounds& one) { return one.over(); })) {
      if (halted()) Halt();
      while (Rounds* one = NextToSubmit()) {
        one->SubmitOne();
        last_progress_ns_ = tools_.now_ns();
      }
      WaitForOne();
    }
    runner_.CheckHealth(RunnerWaits::kCheckHealthNs);
    TakeSuspectResults();
    for (Rounds& one : rounds_) one.End();
  }

 private:
  void Halt() {
    if (halted_ns_ == 0) halted_ns_ = tools_.now_ns();
    const bool late = tools_.now_ns() - halted_ns_ > RunnerWaits::kAfterHaltNs;
    for (Rounds& one : rounds_) {
      one.Halt();
      if (late) one.GiveUp();
    }
  }

  void TakeSuspectResults() {
    for (const SuspectResult& suspect : runner_.TakeSuspectResults()) {
      for (Rounds& one : rounds_) one.Take(suspect);
    }
  }

  // The set whose machine has the least to do.
  Rounds* NextToSubmit() {
    if (runner_.FreeSlots() <= 0) return nullptr;
    Rounds* next = nullptr;
    for (Rounds& one : rounds_) {
      if (one.waits() && (next == nullptr || one.under_way() < next->under_way())) next = &one;
    }
    return next;
  }

  void WaitForOne() {
    if (std::all_of(rounds_.begin(), rounds_.end(), [](const Rounds& one) { return one.over(); })) return;
    if (std::none_of(rounds_.begin(), rounds_.end(), [](const Rounds& one) { return one.under_way() > 0; })) {
      if (tools_.now_ns() - last_progress_ns_ > RunnerWaits::kPatienceNs) {
        throw Error(ExitCode::kNoRunner, "the runner has taken no job of the finals for a minute");
      }
      return tools_.sleep(RunnerWaits::kNoSlotNs);
    }
    JobResult result;
    if (!runner_.Wait(RunnerWaits::kLookNs, &result)) return;
    TakeSuspectResults();
    const bool ours = std::any_of(rounds_.begin(), rounds_.end(), [&](Rounds& one) { return one.Take(result); });
    if (ours) last_progress_ns_ = tools_.now_ns();
  }

  Runner& runner_;
  const TuneTools& tools_;
  std::deque<Rounds> rounds_;
  int64_t last_progress_ns_ = 0;
  int64_t halted_ns_ = 0;
};

}  // namespace

void InterleavedRounds(Runner& runner, std::vector<RoundSet>& sets, int rounds, const TuneTools& tools,
                       const std::function<bool()>& halted) {
  AllRounds(runner, sets, rounds, tools).Run(halted);
}

std::vector<std::vector<Measurement>> InterleavedRounds(Runner& runner, const std::vector<KernelJob>& jobs, int rounds,
                                                        Random& random, const TuneTools& tools,
                                                        const std::function<bool()>& halted) {
  std::vector<RoundSet> sets = {{jobs, random}};
  InterleavedRounds(runner, sets, rounds, tools, halted);
  random = sets[0].random;
  if (const auto& trouble = sets[0].trouble) throw Error(trouble->code, trouble->reason);
  return std::move(sets[0].results);
}

}  // namespace hone
