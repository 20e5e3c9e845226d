// Records as google/benchmark's JSON, which its compare.py and many dashboards read.
#pragma once

#include <vector>

#include "core/json/serialize.h"
#include "db/record.h"

namespace hone {

// The format of `--benchmark_out_format=json`, with one repetition per sample, in ns. A benchmark's name is the
// workload and the threads, so that names match between files; its label is schedule and config. A failed record is
// one repetition with error_occurred. The context describes the machine of the first record that worked, else of the
// first record. The `device` of each benchmark distinguishes machines.
Json GoogleBenchmark(const std::vector<Record>& records);

}  // namespace hone
