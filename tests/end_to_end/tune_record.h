// Records as a tuning run on this machine would leave them.
#pragma once

#include <string>

#include "db/record.h"

namespace hone {

// The last valid config of conv2d_direct's space for this machine: far from the analytic default.
Candidate OddCandidate(const Workload& workload);

// A record of fate Ok on this machine, whose least sample of 10 ns is unbeatable.
Record WinningRecord(const Candidate& candidate, int threads);

// A tuning log with only this record.
std::string LogOf(const Record& record);

}  // namespace hone
