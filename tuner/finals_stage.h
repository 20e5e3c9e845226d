// The end of a tuning run: the fastest candidates of each task are timed again before one of them is believed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "db/record_store.h"
#include "rpc_runner/runner.h"
#include "tuner/trial.h"
#include "tuner/tune_tools.h"
#include "tuner/tuner.h"
#include "tuner/tuning_task.h"

namespace hone {

// Holds the finals that are due: of every task with a trial that came after its last ones. All must outlive it.
class FinalsStage {
 public:
  static constexpr int kRounds = 7;       // fresh processes of each finalist
  static constexpr int kSamples = 15;     // in each
  static constexpr int kChallengers = 5;  // at most
  static constexpr double kShare = 0.2;   // of a time budget, at most

  struct Frame {
    TuneOptions options;
    std::string session;
    std::vector<uint64_t> seeds;
    std::function<bool()> stopping;
    std::function<int64_t()> time_left_ns;  // of the whole budget
  };
  FinalsStage(Runner& runner, RecordStore& store, const TuneTools& tools, Frame frame);

  // What finals of all these tasks are expected to take; a task that is not due takes nothing.
  static int64_t ExpectedNs(const std::vector<TuningTask>& tasks);

  // Heaviest tasks first, with as many challengers as the time allows; a task for which it does not, whose runner is
  // lost or that is interrupted has none. All records of one task's finals are appended at once. Settles the tasks,
  // those too whose finals were held before, and tells `observe` of each that was held now.
  void Hold(std::vector<TuningTask>& tasks, const std::function<void(const TuningTask&)>& observe);

 private:
  bool HoldOne(TuningTask& task, int challengers);
  std::vector<Trial> Compile(const TuningTask& task, int challengers) const;
  std::vector<Record> Measure(TuningTask& task, const std::vector<Trial>& finalists);

  Runner& runner_;
  RecordStore& store_;
  const TuneTools& tools_;
  const Frame frame_;
};

}  // namespace hone
