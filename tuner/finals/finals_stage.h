// The end of a tuning run: the fastest candidates of each task are timed again before one is accepted.
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

// Holds the finals that are due: those of every task with a trial later than its last finals. All arguments must
// outlive it.
class FinalsStage {
 public:
  static constexpr int kRounds = 7;       // fresh processes of each finalist
  static constexpr int kSamples = 15;     // in each process
  static constexpr int kChallengers = 5;  // at most
  static constexpr double kShare = 0.2;   // maximum share of a time budget

  struct Frame {
    TuneOptions options;
    std::string session;
    std::vector<uint64_t> seeds;
    std::function<bool()> stopping;
    std::function<int64_t()> time_left_ns;  // of the whole budget
  };
  FinalsStage(Runner& runner, RecordStore& store, const TuneTools& tools, Frame frame);

  // The number of the runner's machines, at least 1: a pool that has lost all of its machines waits for one.
  static int64_t MachinesOf(Runner& runner);
  // The expected time of the finals of all these tasks on `machines` machines. A task that is not due takes none.
  static int64_t ExpectedNs(const std::vector<TuningTask>& tasks, int64_t machines);

  // Takes the heaviest tasks first, each on one of the runner's machines and as many at a time as there are. Each has
  // as many challengers as the time allows. A task that has not enough time, loses its machine or is interrupted gets
  // no finals. All records of one task's finals are appended at once. Settles the tasks, also those whose finals were
  // held before. Calls `observe` for each task whose finals this call held.
  void Hold(std::vector<TuningTask>& tasks, const std::function<void(const TuningTask&)>& observe);

 private:
  // Finals that are held at the same time.
  struct One {
    TuningTask* task = nullptr;
    std::vector<Trial> finalists;
  };
  // Takes tasks from due[*next] on and advances *next.
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
