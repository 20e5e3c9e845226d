// Runtimes that a runner offers, on one model: their outputs are judged first, then they are timed in turns there.
#pragma once

#include <vector>

#include "core/build_context.h"
#include "lab/adapter/known_adapters.h"
#include "lab/bench/bench_result.h"
#include "lab/bench/time_packages.h"
#include "lab/model/model.h"
#include "lab/records/records.h"
#include "rpc_runner/runner.h"

namespace hone {

struct RuntimesThereOptions {
  ModelOptions model;
  std::vector<AskedRuntime> runtimes;  // as the runner's --runtime names them, or hone
  TimePackagesOptions timing;          // inputs, rounds, threads, min_time_ns and goes_on are used
  BuildContext context;                // of hone's package, without target and threads
  RecordOptions records;
  int64_t answer_ns = 120'000'000'000;  // the longest wait for an answer of an adapter
  double smallest_effect = 0.02;
};

// A row for each runtime in the order asked. hone runs a package that is built for that machine. In each round every
// runtime has a process of its own there, in turns, so a verdict also weighs how much processes differ. A runtime that
// is not offered, has wrong outputs or fails has no times and says why; the others keep theirs. The fastest is marked
// as TimedRuntimes does. *machine receives the machine's environment.
//
// Throws Error: kNoRunner if the runner is lost; kBadConfig for threads that it lacks.
std::vector<RuntimeTimes> TimeRuntimesThere(const RuntimesThereOptions& options, Runner& runner, Environment* machine);

}  // namespace hone
