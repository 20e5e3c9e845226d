// Repeats a tuning run from its records.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "compiler/schedules/schedule.h"
#include "db/record_store.h"
#include "tuner/tuner.h"

namespace hone {

// Like Tune, on the machine and at the pace of the recording, which stays unchanged. With the recorded run's options
// it makes the same decisions, because it knows what the store held when that run began. With other options it begins
// with nothing and finds any record of a candidate. Throws Error(kNoRunner) when the recording has no trial of the
// target, thread count and cache mode. Throws Error(kBadData) when all its trials are of other versions of their
// schedules.
TuneReport Replay(const std::vector<Task>& tasks, const TuneOptions& options, const RecordStore& recording,
                  const std::function<void(const TuneEvent&)>& observe = nullptr,
                  const std::atomic<bool>* stop = nullptr);

// Replay with tools.schedules to search; for tests.
TuneReport ReplayWith(const std::vector<const Schedule*>& schedules, const std::vector<Task>& tasks,
                      const TuneOptions& options, const RecordStore& recording,
                      const std::function<void(const TuneEvent&)>& observe, const std::atomic<bool>* stop);

}  // namespace hone
