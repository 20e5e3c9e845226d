// The best of many records.
#pragma once

#include <vector>

#include "db/record.h"

namespace hone {

// One record per workload, machine, target CPU, thread count and cache mode: the one that a
// build would take (see worth_by_finals.h) among those that are right, not noisy and not timed under an emulator, whose
// times say nothing. The records come in the order of arrival. Times of different cache modes are never compared.
// Sorted by workload, then machine.
std::vector<Record> BestOf(const std::vector<Record>& records);

}  // namespace hone
