// Measures each knob's influence from the records of a workload.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/record.h"

namespace hone {

// The best time measured with one value of a knob.
struct KnobValue {
  std::string knob;
  int64_t value = 0;
  int64_t records = 0;  // number with this value
  int64_t best_ns = 0;
  bool own = false;  // whether the explained record has the value
};

// Uses the correct records that are not noisy, are Comparable with `of`, and have its schedule and version. Knobs are
// sorted by influence, the greatest first, and then values in order. A knob's influence is the distance from the best
// time of all to the best with the knob's worst value. Knobs with a single value are left out.
std::vector<KnobValue> KnobInfluence(const std::vector<Record>& records, const Record& of);

// Whether both have the same workload and Setup, so that their times may be compared.
bool Comparable(const Record& a, const Record& b);

}  // namespace hone
