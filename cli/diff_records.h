// What changed between two sets of records.
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

// The best of one workload, machine, target CPU, threads and cache mode, before and after.
struct RecordDiff {
  RecordChange change = RecordChange::kSame;
  std::string workload, device;
  int threads = 1;
  int64_t before_ns = 0, after_ns = 0;  // least samples; 0: none
  double p = 1;                         // two-sided Mann-Whitney of the samples; 1 where one side is absent
  std::string before, after;            // schedule and config
  std::vector<std::string> what;        // that differs between both besides: "hone 0.1.0 -> 0.2.0"
};

// What may have made a time another one: "hone A -> B", and likewise for a package's hash (its beginning), the
// microcode and Linux. What either does not tell is left out.
struct TimedWith {
  std::string hone_version, package_sha256, microcode, kernel;
};
std::vector<std::string> WhatDiffers(const TimedWith& before, const TimedWith& after);

// One row for each that either side has, by change, then by workload. Faster and slower are said where the least
// samples differ by more than 1 % and the samples by p < 0.05, which is about those runs: a machine's day to day is not
// in them.
std::vector<RecordDiff> DiffRecords(const std::vector<Record>& before, const std::vector<Record>& after);

}  // namespace hone
