// Records as google/benchmark's JSON, which its compare.py and many dashboards read.
#pragma once

#include <vector>

#include "core/serialize.h"
#include "db/record.h"

namespace hone {

// Its output as `--benchmark_out_format=json` has it, with one repetition for each sample, in ns. A benchmark's name is
// the workload and the threads, so that two files name what they compare alike; its label is schedule and config. A
// record that failed is one repetition with error_occurred. The context is of the machine of the first record that
// worked, else of the first; `device` of each benchmark tells machines apart.
Json GoogleBenchmark(const std::vector<Record>& records);

}  // namespace hone
