// A tuning run's name and what was asked.
#pragma once

#include "db/record_store.h"
#include "tuner/tuner.h"

namespace hone {

// The id is a content hash of model, target, threads, math, strategy, seed and cache mode: asking for the same again,
// with whatever budget, is the same run and goes on with it. The state is "running".
TuningRun MakeTuningRun(const TuneOptions& options);

}  // namespace hone
