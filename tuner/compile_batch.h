// Builds a batch of trials.
#pragma once

#include <functional>
#include <vector>

#include "tuner/trial.h"
#include "tuner/tune_tools.h"
#include "tuner/tuning_task.h"

namespace hone {

// Compiles every trial, and the references that their tasks still lack, on tools.compile_workers threads. What a trial
// is rejected for is in its `built`; without its task's reference it is Cancelled, for no candidate is to blame for
// that. Trials that are not begun when halted() says so are taken out of the batch.
void CompileBatch(const TuneTools& tools, const std::function<bool()>& halted, std::vector<TuningTask>& tasks,
                  std::vector<Trial>& batch);

}  // namespace hone
