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

  // What finals of all these tasks are expected to take on so many machines; a task that is not due takes nothing.
  static int64_t ExpectedNs(const std::vector<TuningTask>& tasks, int64_t machines);

  // Heaviest tasks first, each on one of the runner's machines and as many at a time as it has, with as many
  // challengers as the time allows; a task for which it does not, whose machine is lost or that is interrupted has
  // none. All records of one task's finals are appended at once. Settles the tasks,
  // those too whose finals were held before, and tells `observe` of each that was held now.
  void Hold(std::vector<TuningTask>& tasks, const std::function<void(const TuningTask&)>& observe);

 private:
  // Finals that are held at the same time.
  struct One {
    TuningTask* task = nullptr;
    std::vector<Trial> finalists;
  };
  int64_t Machines() const;
  // Of due[*next] and those after it.
  std::vector<One> NextOnes(const std::vector<TuningTask*>& due, size_t* next);
  void HoldAll(std::vector<One>& ones, const std::function<void(const TuningTask&)>& observe);
  bool Keep(const One& one, const std::vector<std::vector<Measurement>>& results);
  std::vector<Trial> Compile(const TuningTask& task, int challengers) const;
  std::vector<KernelJob> JobsOf(const One& one) const;
  std::vector<Record> RecordsOf(const One& one, const std::vector<std::vector<Measurement>>& results) const;

  Runner& runner_;
  RecordStore& store_;
  const TuneTools& tools_;
  const Frame frame_;
};

}  // namespace hone
