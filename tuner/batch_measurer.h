// Measures batches of built trials on the runner and puts their records into the store.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db/record_store.h"
#include "rpc_runner/runner.h"
#include "tuner/trial.h"
#include "tuner/tune_tools.h"
#include "tuner/tuning_task.h"

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

  struct Frame {
    std::string session;           // of the records
    std::vector<uint64_t> seeds;   // for the checks' inputs
    std::function<bool()> halted;  // whether nothing more may be submitted
    int repeats = kRepeats;        // of a noisy trial whose task doubts it (TuningTask::Doubts)
  };
  // The references must outlive it. Trial::task is an index in `tasks`; a built trial's task must have its reference.
  BatchMeasurer(Runner& runner, RecordStore& store, const TuneTools& tools, const std::vector<TuningTask>& tasks,
                Frame frame);

  // Marks the trials that were measured or refused as done. Once halted, trials that were not submitted are dropped.
  // Those under way are waited for up to kAfterHaltNs, so that a lost runner cannot keep a run from ending. A trial on
  // a lost runner is recorded as such, tried again and does not count. Each attempt at a noisy trial is recorded; the
  // last one stands. Throws Error(kNoRunner) when kAttempts runs of one trial were lost, or when the runner took no
  // job for kPatienceNs. Machines without work in this batch begin with the next one, as soon as that is built.
  void Measure(const Batch& batch, const std::shared_future<Batch>& next = {});
  // Has the machines run their golden kernels again. Stores a doubt for each record of any batch that they doubt
  // (db/verdicts/row_verdicts.h). Call it when nothing is under way.
  void Close();
  // The cost of all jobs so far in wall time: a job's own, divided by the number of machines that worked beside it.
  const JobCost& cost() const { return cost_; }
  // Jobs that were given up after a halt because no runner had answered.
  int64_t unanswered() const { return unanswered_; }

 private:
  using TrialPointer = std::shared_ptr<Trial>;

  void Begin(const Batch& batch);
  void Queue(const TrialPointer& trial);
  bool Holds(const Batch& batch) const;
  void Halt();
  TrialPointer NextTrial(const std::shared_future<Batch>& next);
  void Submit(TrialPointer trial);
  bool WaitForOne(JobResult* result);
  void Take(const JobResult& result);
  void TryAgain(const TrialPointer& trial);
  void Keep(Trial& trial);
  void KeepDoubts();
  void FlushWhenDue();
  void Flush();

  Runner& runner_;
  RecordStore& store_;
  const TuneTools& tools_;
  const std::vector<TuningTask>& tasks_;
  const Frame frame_;
  int64_t begun_ = 0;                             // batches
  std::multimap<int64_t, TrialPointer> waiting_;  // trials to submit, by batch
  std::map<JobId, TrialPointer> under_way_;
  std::vector<Record> pending_;
  std::map<JobId, std::string> kept_;  // ids of the records of the newest kMostKept results
  JobCost cost_;
  int64_t pending_since_ns_ = 0;
  int64_t last_progress_ns_ = 0;
  int64_t halted_ns_ = 0;  // when the halt was first noticed
  int64_t unanswered_ = 0;
};

}  // namespace hone
