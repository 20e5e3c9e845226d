// Records as a tuning run on this machine would have left them.
#pragma once

#include <string>

#include "db/record.h"

namespace hone {

// For this machine, the last valid config of conv2d_direct's space: far from what the analytic default would be.
Candidate OddCandidate(const Workload& workload);

// Ok on this machine, with a least sample of 10 ns that nothing beats.
Record WinningRecord(const Candidate& candidate, int threads);

// A tuning log of this one record.
std::string LogOf(const Record& record);

}  // namespace hone
