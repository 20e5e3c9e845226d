// The last comparison: the finalists of all tasks, timed in the built model where they will run.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/compile_kernel.h"
#include "compiler/relay/expr.h"
#include "core/stats/sample_statistics.h"
#include "db/record_store.h"
#include "rpc_runner/runner.h"
#include "tuner/tuner.h"

namespace hone {

struct NetworkFinals {
  static constexpr int kFinalists = 4;  // of a task, at most

  bool held = false;
  std::string why_not;           // the reason when they were not held
  int tasks = 0;                 // number of tasks with more than one finalist
  int replaced = 0;              // tasks whose winner differs from that of the finals of single kernels
  MedianInterval before, after;  // whole model, ns: with the earlier winners, and with the new ones
  double p = 1;                  // p-value of the hypothesis that the two are alike
  int64_t elapsed_ns = 0;
};

// A kernel meets other caches by itself than in its network. So the winners of the run's finals and those that came
// near are built into the model and timed there. Variant k has every task's k-th finalist, rounds of all variants are
// interleaved, and a task's time is the sum over its calls. A finalist replaces the winner by the rule of
// RankFinalists.
//
// Then the model with all replacements is timed against the model without, and they stand only if it is faster
// (Mann-Whitney, p < 0.05). Every outcome is stored as records of finals with network_ns. `module` is the one from
// which the tasks were extracted.
//
// The finals are not held if no task has two finalists that were not yet compared so, or if the runner takes no
// packages. They are also not held if `deadline_ns` of tools' clock (0: none) is too near. `kernels` are of earlier
// builds of the model.
NetworkFinals HoldNetworkFinals(const relay::IRModule& module, const TuneOptions& options, Runner& runner,
                                RecordStore& store, CompiledKernels& kernels, int64_t deadline_ns = 0,
                                const std::atomic<bool>* stop = nullptr);

}  // namespace hone
