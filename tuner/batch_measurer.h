// Takes a batch of built trials to the runner and their results to the store.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "db/record_store.h"
#include "rpc_runner/runner.h"
#include "tuner/trial.h"
#include "tuner/tune_tools.h"

namespace hone {

// Results are appended at most kFlushNs after they come, at most kFlushCount at a time; all of a batch when Measure
// returns.
class BatchMeasurer {
 public:
  static constexpr int64_t kFlushNs = 200'000'000;
  static constexpr size_t kFlushCount = 16;
  static constexpr int kAttempts = 4;                     // of a trial whose runner is lost
  static constexpr int kRepeats = 2;                      // of a trial that was too noisy
  static constexpr int64_t kPatienceNs = 60'000'000'000;  // for a runner that takes no jobs
  static constexpr int64_t kLookAgainNs = 1'000'000'000;  // for machines to look at themselves once more
  static constexpr size_t kMostKept = 16'384;
  static constexpr int64_t kAfterHaltNs = 2'000'000'000;  // for what is under way once nothing more is submitted

  // All must outlive it. `job` makes the runner's job of a trial; `record` its record; `halted` says that nothing more
  // is to be submitted.
  struct Hooks {
    std::function<KernelJob(Trial& trial)> job;
    std::function<Record(const Trial& trial)> record;
    std::function<bool()> halted;
    // Whether a noisy trial matters enough to be measured again; empty: none does.
    std::function<bool(const Trial& trial)> repeat;
  };
  BatchMeasurer(Runner& runner, RecordStore& store, const TuneTools& tools, Hooks hooks);

  // The batch that follows, once it is built; null before that and when there is none. It must not move in memory until
  // its own Measure; the vector that holds it may.
  using Ahead = std::function<std::vector<Trial>*()>;

  // Marks the trials that were measured or refused as done; once halted the others are dropped, and those under way are
  // waited for kAfterHaltNs: a runner that is gone must not keep a run from ending. A lost runner's trial is recorded
  // as such, tried again and does not count. Each attempt at a noisy trial is recorded; the last one stands. Throws
  // Error(kNoRunner) when kAttempts runs of one trial were lost, or when the runner took no job for kPatienceNs.
  // Machines that have nothing left of this batch begin with the one ahead.
  void Measure(std::vector<Trial>& batch, const Ahead& ahead = nullptr);
  // Asks the machines whether they still are what they were, and keeps what is doubted of all batches as such
  // (db/doubted_since.h). For when nothing is under way.
  void Close();
  // Of all jobs so far.
  const JobCost& cost() const { return cost_; }
  // Jobs that were given up after a halt, for no runner had answered.
  int64_t unanswered() const { return unanswered_; }

 private:
  void Begin(std::vector<Trial>& batch);
  static bool IsOf(const std::vector<Trial>& batch, const Trial* trial);
  void WaitAgain(Trial& trial);
  bool Holds(const std::vector<Trial>& batch) const;
  void Halt();
  void SubmitWhatFits();
  void WaitForOne();
  void Take(const JobResult& result);
  void Keep(Trial& trial);
  void KeepDoubts();
  void FlushWhenDue();
  void Flush();

  Runner& runner_;
  RecordStore& store_;
  const TuneTools& tools_;
  Hooks hooks_;
  const std::vector<Trial>* current_ = nullptr;
  const Trial* begun_ = nullptr;  // the first of the batch that was begun last
  std::deque<Trial*> waiting_;    // to submit
  std::map<JobId, Trial*> under_way_;
  std::map<const Trial*, int> lost_, repeated_;  // times
  std::vector<Record> pending_;
  std::map<JobId, std::string> kept_;  // the records' ids of the newest kMostKept results
  JobCost cost_;
  int64_t pending_since_ns_ = 0;
  int64_t last_progress_ns_ = 0;
  int64_t halted_ns_ = 0;  // when it was first seen that nothing more is to be submitted
  int64_t unanswered_ = 0;
};

}  // namespace hone
