// One model across the devices that a store has records of.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "core/measurement.h"
#include "db/record.h"

namespace hone {

// One way of running the model: a machine, a thread count, and how it was timed.
struct DeviceRow {
  std::string machine;            // see MachineName
  std::set<std::string> runners;  // see RunnerName: machines exactly alike are one row
  std::string key;                // see MachineKey
  std::string cpu;                // target CPU
  int threads = 1;
  CacheMode cache = CacheMode::kColdWeights;
  int64_t expected_ns = 0;  // sum over the covered tasks of uses x best
  double covered_flops = 0;
  int covered = 0;     // tasks with a record
  double vs_best = 0;  // expected_ns against the quickest row that covers every task; 0 unless this one does too
};

// Complete rows first, quickest first; then the others by coverage.
std::vector<DeviceRow> CompareDevices(const std::vector<Task>& tasks, const std::vector<Record>& records);

}  // namespace hone
