// A tuning run's id and its request.
#pragma once

#include <vector>

#include "db/record_store.h"
#include "tuner/tuner.h"

namespace hone {

// The id is a content hash of model, target, threads, math, strategy, seed and cache mode. Precision and weights are
// included if they are not float32. The same request with any budget is the same run and continues it. The state is
// "running".
TuningRun MakeTuningRun(const TuneOptions& options);

// The run with `tasks` added to its json: each task's workload and the number of its uses in the model. The id stays.
TuningRun WithTasks(TuningRun run, const std::vector<Task>& tasks);

}  // namespace hone
