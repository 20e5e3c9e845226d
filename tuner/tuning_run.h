// A tuning run's name and what was asked.
#pragma once

#include <vector>

#include "db/record_store.h"
#include "tuner/tuner.h"

namespace hone {

// The id is a content hash of model, target, threads, math, strategy, seed and cache mode: asking for the same again,
// with whatever budget, is the same run and goes on with it. The state is "running".
TuningRun MakeTuningRun(const TuneOptions& options);

// The run's json with `tasks` behind what was asked: each task's workload and how often the model uses it. Its id
// stays.
TuningRun WithTasks(TuningRun run, const std::vector<Task>& tasks);

}  // namespace hone
