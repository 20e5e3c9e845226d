// Builds a batch of trials.
#pragma once

#include <functional>
#include <vector>

#include "tuner/trial.h"
#include "tuner/tune_tools.h"
#include "tuner/tuning_task.h"

namespace hone {

// Compiles every trial, and the references that their tasks still lack, on tools.compile_workers threads. A trial's
// `built` has its rejection. Without its task's reference a trial is Cancelled, because that is no candidate's fault.
// Trials that were not begun when halted() became true are removed from the batch.
void CompileBatch(const TuneTools& tools, const std::function<bool()>& halted, std::vector<TuningTask>& tasks,
                  Batch& batch);

}  // namespace hone
