// When two times may be compared.
#pragma once

#include "core/fingerprint.h"
#include "core/measurement.h"
#include "core/target.h"
#include "db/record.h"

namespace hone {

// What two records must share before their times say which is faster.
struct Setup {
  Target target;
  Fingerprint machine;  // that timed
  int threads = 1;
  CacheMode cache = CacheMode::kColdWeights;
  bool operator==(const Setup&) const = default;
};

Setup SetupOf(const Record& record);

// Whether both targets get the same code: CPU and features; the number of cores says nothing.
bool SameCode(const Target& a, const Target& b);

}  // namespace hone
