// A record's keys, which are the columns of the store's table `records`. Queries use them, and charts of many records
// need them without reading whole records.
#pragma once

#include <cstdint>
#include <string>

#include "db/record.h"

namespace hone {

struct TrialRow {
  int64_t seq = 0;  // place in the order of arrival
  std::string id, workload, schedule, config;
  int schedule_version = 1;
  std::string triple, cpu, features;      // of the target; features sorted, separated by commas
  std::string fingerprint, device;        // of the machine: text and short id; empty if not known
  std::string cpu_model, host, llvm_cpu;  // as in Environment
  std::string key, label;                 // of its runner
  int threads = 1;
  CacheMode cache = CacheMode::kColdWeights;
  Fate fate = Fate::kOk;
  bool noisy = false, emulated = false;
  int64_t min_ns = 0;   // least sample; 0: none
  int64_t unix_ms = 0;  // time of the measurement, a label
  std::string session;
  int held = 0, place = 0;  // as in FinalsPart
  bool operator==(const TrialRow&) const = default;
};

TrialRow TrialRowOf(const Record& record, int64_t seq);

}  // namespace hone
