// Synthetic records, as many as a benchmark needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/machine/target.h"
#include "core/workload.h"
#include "db/record.h"

namespace hone::bench {

// Convolution `number` of a family without duplicates.
Workload MadeUpWorkload(int64_t number);

// `count` finished records of the workload as this machine would make them: the default's schedule with other knobs,
// three samples each. Another `seed` gives other records.
std::vector<Record> MadeUpRecords(const Workload& workload, const Target& target, int64_t count, uint64_t seed);

// An AutoTVM log of `count` lines: 500 configs per task, one task after the other.
std::string MadeUpAutoTvmLog(int64_t count);

}  // namespace hone::bench
