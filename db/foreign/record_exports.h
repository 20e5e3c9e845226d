// Records in the formats of other programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "db/record.h"

namespace hone {

// google/benchmark's JSON (`--benchmark_out_format=json`), which its compare.py and many dashboards read, with one
// repetition per sample, in ns. A benchmark's name is the workload and the threads, so that names match between files;
// its label is schedule and config. A failed record is one repetition with error_occurred. The context describes the
// machine of the first record that worked, else of the first record. The `device` of each benchmark distinguishes
// machines.
Json GoogleBenchmark(const std::vector<Record>& records);

// Kernel Tuner's T4 results, which its plots and other tuners' tools read, version 1.0.0 of the schema: one result per
// record, in their order. `configuration` holds the schedule and its knobs. Values without a field in the schema
// (workload, target, device, threads, record) are texts among the measurements. Times are in ms; the time is the least
// sample and is left out if there is none.
Json KernelTunerT4(const std::vector<Record>& records);

// Their form of a point in time, "2026-11-22T22:50:00+00:00", from ms since 1970. Fractions of a second are dropped.
std::string UtcText(int64_t unix_ms);

}  // namespace hone
