// Records of kernels that nobody ran, as many as a benchmark wants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/target.h"
#include "core/workload.h"
#include "db/record.h"

namespace hone::bench {

// The number-th of a family of convolutions, no two alike.
Workload MadeUpWorkload(int64_t number);

// `count` finished records of the workload as this machine would have made them: its default's schedule with other
// knobs, three samples each. Another `seed`, other records.
std::vector<Record> MadeUpRecords(const Workload& workload, const Target& target, int64_t count, uint64_t seed);

// An AutoTVM log of `count` lines, 500 configs of one task after the other.
std::string MadeUpAutoTvmLog(int64_t count);

}  // namespace hone::bench
