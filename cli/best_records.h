// The best of many records.
#pragma once

#include <string>
#include <vector>

#include "db/record.h"

namespace hone {

// One record per workload, device (its CPU model), target CPU, thread count and cache mode: the one that a
// build would take (see judge_by_finals.h) among those that are right and not noisy. The records come in the order of
// arrival. Times of different cache modes are never compared. Sorted by workload, then
// device.
std::vector<Record> BestOf(const std::vector<Record>& records);

// What the records call the machine they come from: its CPU model, or the target's CPU where that is not told.
std::string DeviceName(const Record& record);

}  // namespace hone
