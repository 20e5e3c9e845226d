// Differences between two sets of records.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "db/record.h"

namespace hone {

enum class RecordChange : uint8_t { kNew, kGone, kFaster, kSlower, kSame };
// "new", "gone", "faster", "slower", "same".
std::string_view RecordChangeName(RecordChange change);

// The best record of one workload, machine, target CPU, threads and cache mode, before and after.
struct RecordDiff {
  RecordChange change = RecordChange::kSame;
  std::string workload, device;  // the device of times with warm caches ends with ", warm"
  int threads = 1;
  int64_t before_ns = 0, after_ns = 0;  // least samples; 0: none
  double p = 1;                         // two-sided Mann-Whitney test of the samples; 1 if one side is absent
  std::string before, after;            // schedule and config
  std::vector<std::string> what;        // other differences between both: "hone 0.1.0 -> 0.2.0"
};

// Facts that may explain a changed time: hone's version, a package's hash, the microcode and Linux. WhatDiffers gives
// "hone A -> B" and so on, with the hash's beginning. A fact that is unknown on either side is left out.
struct TimedWith {
  std::string hone_version, package_sha256, microcode, kernel;
};
std::vector<std::string> WhatDiffers(const TimedWith& before, const TimedWith& after);

// One row for each best record on either side, by change, then by workload. Faster and slower require that the least
// samples differ by more than 1 % and the samples by p < 0.05. The test covers only those runs, and not how a machine
// varies from day to day.
std::vector<RecordDiff> DiffRecords(const std::vector<Record>& before, const std::vector<Record>& after);

}  // namespace hone
