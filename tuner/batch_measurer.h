// Measures a batch of built trials on the runner and puts their records into the store.
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

// Records are appended at most kFlushNs after their results come and at most kFlushCount at a time. All records of a
// batch are appended when Measure returns.
class BatchMeasurer {
 public:
  static constexpr int64_t kFlushNs = 200'000'000;
  static constexpr size_t kFlushCount = 16;
  static constexpr int kAttempts = 4;  // runs of a trial whose runner is lost
  static constexpr int kRepeats = 2;   // repetitions of a trial that was too noisy
  static constexpr int64_t kPatienceNs = RunnerWaits::kPatienceNs;
  static constexpr size_t kMostKept = 16'384;
  static constexpr int64_t kAfterHaltNs = RunnerWaits::kAfterHaltNs;

  // All must outlive it. `job` makes the runner's job for a trial, and `record` its record. `halted` says that nothing
  // more may be submitted.
  struct Hooks {
    std::function<KernelJob(Trial& trial)> job;
    std::function<Record(const Trial& trial)> record;
    std::function<bool()> halted;
    // Whether a noisy trial matters enough to be measured again. If empty, none does.
    std::function<bool(const Trial& trial)> repeat;
  };
  BatchMeasurer(Runner& runner, RecordStore& store, const TuneTools& tools, Hooks hooks);

  // Returns the next batch once it is built; null before that and if there is none. The batch must not move in memory
  // until its own Measure; the vector object that owns it may move.
  using Ahead = std::function<std::vector<Trial>*()>;

  // Marks the trials that were measured or refused as done. Once halted, trials that were not submitted are dropped.
  // Those under way are waited for up to kAfterHaltNs, so that a lost runner cannot keep a run from ending. A trial on
  // a lost runner is recorded as such, tried again and does not count. Each attempt at a noisy trial is recorded; the
  // last one stands. Throws Error(kNoRunner) when kAttempts runs of one trial were lost, or when the runner took no
  // job for kPatienceNs. Machines without work in this batch begin with the one ahead.
  void Measure(std::vector<Trial>& batch, const Ahead& ahead = nullptr);
  // Has the machines run their golden kernels again. Stores a doubt for each record of any batch that they doubt
  // (db/verdicts/doubted_since.h). Call it when nothing is under way.
  void Close();
  // The cost of all jobs so far.
  const JobCost& cost() const { return cost_; }
  // Jobs that were given up after a halt because no runner had answered.
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
  const Trial* begun_ = nullptr;  // first trial of the last batch that was begun
  std::deque<Trial*> waiting_;    // trials to submit
  std::map<JobId, Trial*> under_way_;
  std::map<const Trial*, int> lost_, repeated_;  // how many times
  std::vector<Record> pending_;
  std::map<JobId, std::string> kept_;  // ids of the records of the newest kMostKept results
  JobCost cost_;
  int64_t pending_since_ns_ = 0;
  int64_t last_progress_ns_ = 0;
  int64_t halted_ns_ = 0;  // when the halt was first noticed
  int64_t unanswered_ = 0;
};

}  // namespace hone
