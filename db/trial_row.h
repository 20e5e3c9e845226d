// A record's keys, as the store's table has them: what pictures of many records need, without reading them whole.
#pragma once

#include <cstdint>
#include <string>

#include "db/record.h"

namespace hone {

struct TrialRow {
  int64_t seq = 0;  // the place in the order of arrival
  std::string id, workload, schedule, config;
  std::string triple, cpu, features;      // of the target; features sorted, with commas between them
  std::string fingerprint, device;        // of the machine: text and short id; empty where it is not known
  std::string cpu_model, host, llvm_cpu;  // as Environment's
  std::string key, label;                 // of its runner
  int threads = 1;
  CacheMode cache = CacheMode::kColdWeights;
  Fate fate = Fate::kOk;
  bool noisy = false, emulated = false;
  int64_t min_ns = 0;   // the least sample; 0: none
  int64_t unix_ms = 0;  // when it was measured, a label
  std::string session;
  int held = 0, place = 0;  // as FinalsPart's
  bool operator==(const TrialRow&) const = default;
};

TrialRow TrialRowOf(const Record& record, int64_t seq);

}  // namespace hone
