// A tuning run again, from its records.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "compiler/schedules/schedule.h"
#include "db/record_store.h"
#include "tuner/tuner.h"

namespace hone {

// Like Tune, on the machine and at the pace of the recording, which is left as it is. Asked as the recorded run was, it
// decides as that did: it knows what the store held when that run began. Asked otherwise, it begins with nothing and
// finds any record of a candidate. Throws Error: kNoRunner when the recording has no trial of the target, thread count
// and cache mode, kBadData when all it has are of other versions of their schedules.
TuneReport Replay(const std::vector<Task>& tasks, const TuneOptions& options, const RecordStore& recording,
                  const std::function<void(const TuneEvent&)>& observe = nullptr,
                  const std::atomic<bool>* stop = nullptr);

// With tools.schedules to search: those of a test.
TuneReport ReplayWith(const std::vector<const Schedule*>& schedules, const std::vector<Task>& tasks,
                      const TuneOptions& options, const RecordStore& recording,
                      const std::function<void(const TuneEvent&)>& observe, const std::atomic<bool>* stop);

}  // namespace hone
