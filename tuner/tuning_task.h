// One task of a tuning run: its strategy, what is known of it, and when it has had enough.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/measurement.h"
#include "db/record.h"
#include "tuner/failure_tally.h"
#include "tuner/finals_outcome.h"
#include "tuner/search_space.h"
#include "tuner/task_scheduler.h"
#include "tuner/tuner.h"

namespace hone {

// Thread-compatible.
class TuningTask {
 public:
  // early_stopping: see Budget.
  TuningTask(const Task& task, const SearchTask& search, const std::string& strategy, uint64_t seed,
             std::optional<int64_t> early_stopping = std::nullopt);

  const Workload& workload() const { return report_.workload; }
  const std::string& text() const { return text_; }
  const SearchSpace& space() const { return *space_; }
  // The workload's meaning, compiled once for the runner; empty until it is set.
  std::optional<Artifact> reference;

  // Up to n that were neither proposed nor learnt yet: seeds first, then the strategy's; none when both are spent.
  std::vector<Proposal> Propose(int n);
  // To be proposed before all that the strategy has in mind. Valid configs of the space.
  void Seed(const std::vector<Proposal>& seeds) { seeds_.insert(seeds_.end(), seeds.begin(), seeds.end()); }
  // Whether anything was proposed, tried or learnt yet: a task begins with its default.
  bool begun() const { return begun_; }
  void Begin() { begun_ = true; }

  // A trial of this run: counts, and moves the plateau.
  void Observe(const Proposal& proposal, const Measurement& measurement);
  // A measurement of another run: it is known, and no trial of ours.
  void Learn(const Proposal& proposal, const Measurement& measurement);
  // What is known of another task.
  void Transfer(const SearchTask& other, const std::vector<Observation>& observations) {
    strategy_->Transfer(other, observations);
  }
  // All that worked, in the order they were learnt; noisy ones too.
  const std::vector<Observation>& observations() const { return observations_; }
  // What the strategy searches.
  const SearchTask& search() const { return search_; }
  bool warm = false;  // whether it was told of the other tasks

  // What is known of its finals.
  struct FinalsState {
    std::optional<Proposal> incumbent;  // the winner of the last ones on exactly such a machine, whosever run's
    int held = 0;                       // by this run
    std::vector<Record> last;           // this run's last
    bool due = true;                    // a trial came after them
  };
  FinalsState finals;
  // What they decided is what is reported; the search goes on from what it saw itself.
  void Settle(const FinalsOutcome& outcome);

  void Stop(const std::string& why) { report_.stopped = why; }
  bool stopped() const { return !report_.stopped.empty(); }
  // No trial of the last window improved the best by more than 1 %.
  bool AtPlateau() const { return plateau_window_ > 0 && since_gain_ >= plateau_window_; }
  int64_t best_ns() const { return report_.best_ns; }
  int64_t default_ns() const { return report_.default_ns; }
  // Whether it may have the best time, but is too noisy to be believed.
  bool Doubts(const Measurement& measurement) const;
  int64_t trials() const { return report_.trials; }
  // Of the trials that were measured, on the runner; 0 before the first.
  int64_t mean_wall_ns() const { return measured_ > 0 ? wall_ns_ / measured_ : 0; }
  TaskProgress Progress() const;
  const TaskReport& report() const { return report_; }

 private:
  std::string text_;
  SearchTask search_;
  std::shared_ptr<const SearchSpace> space_;
  std::unique_ptr<Strategy> strategy_;
  std::string default_key_;
  std::vector<Observation> observations_;
  std::deque<Proposal> seeds_;
  std::set<std::string> met_;  // keys of what was proposed or learnt
  TaskReport report_;
  FailureTally failures_;
  GainRate gain_;
  bool begun_ = false;
  int64_t plateau_window_ = 32;  // 0: endless
  int64_t since_gain_ = 0;
  int64_t measured_ = 0, wall_ns_ = 0;
  int64_t gain_from_ns_ = 0;  // the best when it last improved by more than 1 %
};

}  // namespace hone
