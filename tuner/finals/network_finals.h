// The last word: the finalists of all tasks where they will run, in the built model.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/median_interval.h"
#include "db/record_store.h"
#include "rpc_runner/runner.h"
#include "tuner/tuner.h"

namespace hone {

struct NetworkFinals {
  static constexpr int kRounds = 7;     // fresh processes of each variant
  static constexpr int kRuns = 5;       // of the model in each, after one to warm up; the least counts
  static constexpr int kFinalists = 4;  // of a task, at most

  bool held = false;
  std::string why_not;           // when they were not held
  int tasks = 0;                 // that had more than one finalist
  int replaced = 0;              // tasks whose winner is another than the one that finals of kernels alone named
  MedianInterval before, after;  // of the whole model, ns: with the winners of before, and of now
  double p = 1;                  // that the two are alike
  int64_t elapsed_ns = 0;
};

// A kernel alone meets other caches than in its network, so the winners of the run's finals and those that came near
// are built into the model and timed there: variant k has every task's k-th finalist, rounds of all variants are
// interleaved, and a task's time is the sum over its calls. A finalist replaces the winner by the rule of
// RankFinalists; then the model with all replacements is timed against the model without, and only if it is faster
// (Mann-Whitney, p < 0.05) do they stand. Every outcome is kept as records of finals with network_ns. Not held: no task
// has two finalists whose place is not decided so yet, the runner takes no packages, or `deadline_ns` of tools' clock
// (0: none) is too near. `module` is what the tasks were extracted from.
NetworkFinals HoldNetworkFinals(const relay::IRModule& module, const TuneOptions& options, Runner& runner,
                                RecordStore& store, int64_t deadline_ns = 0, const std::atomic<bool>* stop = nullptr);

}  // namespace hone
