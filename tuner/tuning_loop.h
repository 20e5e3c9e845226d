// The tuner's loop. Everything it depends on is passed in.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <vector>

#include "tuner/batch_measurer.h"
#include "tuner/elsewhere/known_elsewhere.h"
#include "tuner/elsewhere/other_tuners.h"
#include "tuner/failure_tally.h"
#include "tuner/runner_watch.h"
#include "tuner/tune_tools.h"
#include "tuner/tuner.h"
#include "tuner/tuning_task.h"

namespace hone {

// Proposes a batch, compiles it, measures it, records it and learns from it, until nothing is left to do. Every task
// gets its analytic default first, in one round; then NextTask chooses the task of the next batch. Runner, store and
// tools must outlive it.
class TuningLoop {
 public:
  static constexpr int kBatch = 16;  // of one task
  // The number of trials compiled and measured together: kBatch, or with many machines eight for each.
  static int64_t BatchSize(int64_t machines) { return std::max<int64_t>(kBatch, 8 * machines); }

  TuningLoop(const std::vector<Task>& tasks, const TuneOptions& options, Runner& runner, RecordStore& store,
             const TuneTools& tools, std::function<void(const TuneEvent&)> observe, const std::atomic<bool>* stop);
  // Called once per object. Throws as Tune does.
  TuneReport Run();

 private:
  void Resume();
  void ResumeTask(TuningTask& task);
  bool ResumeFinals(TuningTask& task, const Record& record) const;
  void Search();
  void CountTrouble(size_t task, const Failure& trouble);
  void HoldFinals();
  void WarmUp(TuningTask& task);
  Batch PlanBatch();
  Batch PlanDefaults(int64_t most);
  Batch PlanShares(int64_t most);
  void AddTrials(size_t task, size_t most, Batch& batch);
  std::shared_future<Batch> Compile(Batch batch);
  Batch WaitForCompiler(const std::shared_future<Batch>& compiling);
  void Learn(const Batch& batch);
  void StopAtPlateau(TuningTask& task);
  void StopTask(TuningTask& task, const std::string& why);
  void Emit(TuneEventKind kind, const TuningTask* task, const Trial* trial) const;
  TuneReport Report();

  bool stopping() const { return stop_ != nullptr && stop_->load(); }
  int64_t elapsed_ns() const { return tools_.now_ns() - begun_ns_; }
  int64_t TimeLeftNs() const;
  // Whether the search's time is up; the expected time of the finals is left to them.
  bool TimeIsUp() const { return TimeLeftNs() <= finals_reserve_ns_; }
  bool Halted() const { return stopping() || TimeIsUp() || watch_.is_over(); }
  void EmitWaiting(const std::string& why) const;
  void SumUp(TuneEvent& event) const;
  std::string WhyNoRunner() const;
  std::vector<TaskProgress> ProgressOfAll() const;
  bool GainsTooLittle() const;
  int64_t TrialsLeft() const;

  TuneOptions options_;
  Runner& runner_;
  RecordStore& store_;
  const TuneTools& tools_;
  std::function<void(const TuneEvent&)> observe_;
  const std::atomic<bool>* stop_;
  RunnerWatch watch_;
  std::vector<TuningTask> tasks_;
  TuningRun run_;
  MeasuredHere here_;
  std::optional<OtherTuners> others_;  // set once here_ is known
  std::vector<uint64_t> seeds_;        // for the checks' inputs
  int64_t begun_ns_ = 0;
  int64_t unanswered_ = 0;
  TroubleTally troubles_;
  int64_t to_heal_ = 0;  // records of the tasks that blame candidates for the machine's failure
  int64_t planned_ = 0;  // trials handed to the compiler by this call
  int64_t trials_ = 0;   // done by this call
  int64_t resumed_ = 0;  // done by this run before
  int64_t finals_ns_ = 0;
  std::atomic<int64_t> finals_reserve_ns_{0};  // also read by the thread that compiles
  TuneCosts costs_;
};

}  // namespace hone
