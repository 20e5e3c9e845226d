// One task of a tuning run: its strategy, its observations, and its stopping rule.
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
#include "tuner/search/search_space.h"
#include "tuner/task_scheduler.h"
#include "tuner/tuner.h"

namespace hone {

// Thread-compatible.
class TuningTask {
 public:
  // Budget explains `early_stopping`.
  TuningTask(const Task& task, const SearchTask& search, const std::string& strategy, uint64_t seed,
             std::optional<int64_t> early_stopping = std::nullopt);

  const Workload& workload() const { return report_.workload; }
  const std::string& text() const { return text_; }
  const SearchSpace& space() const { return *space_; }
  // The reference kernel of the workload, compiled once for the runner; empty until it is set.
  std::optional<Artifact> reference;

  // Up to n configs that were neither proposed nor learnt yet: seeds first, then the strategy's. None when both are
  // spent.
  std::vector<Proposal> Propose(int n);
  // Adds configs to propose before those of the strategy. They must be valid configs of the space.
  void Seed(const std::vector<Proposal>& seeds) { seeds_.insert(seeds_.end(), seeds.begin(), seeds.end()); }
  // Sets the choice of a build before the run, which the finals hold the others against. Absent or not of the space:
  // the analytic default.
  void SetBefore(const std::optional<ConfigChoice>& choice);
  // Makes that choice the next proposal. Returns false if it was proposed or learnt already.
  bool TakeUpBefore();
  // Whether anything was proposed, tried or learnt yet. A task begins with its default.
  bool begun() const { return begun_; }
  void Begin() { begun_ = true; }

  // Observes a trial of this run: it counts and affects the plateau.
  void Observe(const Proposal& proposal, const Measurement& measurement);
  // Learns a measurement of another run. It is known but does not count as a trial of this run.
  void Learn(const Proposal& proposal, const Measurement& measurement);
  // Passes on knowledge of another task.
  void Transfer(const SearchTask& other, const std::vector<Observation>& observations) {
    strategy_->Transfer(other, observations);
  }
  // All observations that worked, in the order in which they were learnt, noisy ones included.
  const std::vector<Observation>& observations() const { return observations_; }
  // The strategy's search task.
  const SearchTask& search() const { return search_; }
  bool warm = false;  // whether it received the knowledge of other tasks

  // The state of the task's finals.
  struct FinalsState {
    std::optional<Proposal> incumbent;  // winner of any run's last finals on exactly such a machine
    int held = 0;                       // by this run
    std::vector<Record> last;           // records of this run's last finals
    bool due = true;                    // a trial came after the last finals
  };
  FinalsState finals;
  // Reports the outcome of the finals as the result. The search continues from its own observations.
  void Settle(const FinalsOutcome& outcome);

  void Stop(const std::string& why) { report_.stopped = why; }
  bool stopped() const { return !report_.stopped.empty(); }
  // Whether no trial of the last window improved the best by more than 1 %.
  bool AtPlateau() const { return plateau_window_ > 0 && since_gain_ >= plateau_window_; }
  int64_t best_ns() const { return report_.best_ns; }
  int64_t default_ns() const { return report_.default_ns; }
  // Whether the measurement may be the best time, or the first of the default, but is too noisy to be believed.
  bool Doubts(const Proposal& proposal, const Measurement& measurement) const;
  int64_t trials() const { return report_.trials; }
  // The mean wall time on the runner of the measured trials; 0 before the first.
  int64_t mean_wall_ns() const { return measured_ > 0 ? wall_ns_ / measured_ : 0; }
  TaskProgress Progress() const;
  const TaskReport& report() const { return report_; }

 private:
  std::string text_;
  SearchTask search_;
  std::shared_ptr<const SearchSpace> space_;
  std::unique_ptr<Strategy> strategy_;
  std::string analytic_key_, default_key_;
  std::optional<Proposal> before_;  // unless it is the analytic default
  std::vector<Observation> observations_;
  std::deque<Proposal> seeds_;
  std::optional<Proposal> next_;  // proposed before the seeds
  std::set<std::string> met_;     // keys of everything proposed or learnt
  TaskReport report_;
  FailureTally failures_;
  GainRate gain_;
  bool begun_ = false;
  int64_t plateau_window_ = 32;  // 0: endless
  double share_ = 1;             // of the runs that have the task
  int64_t since_gain_ = 0;
  int64_t measured_ = 0, wall_ns_ = 0;
  int64_t gain_from_ns_ = 0;  // best time when it last improved by more than 1 %
};

}  // namespace hone
