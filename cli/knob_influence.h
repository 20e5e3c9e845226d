// What the records of a workload say about each knob.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/record.h"

namespace hone {

// The best that was measured with one value of a knob.
struct KnobValue {
  std::string knob;
  int64_t value = 0;
  int64_t records = 0;  // with this value
  int64_t best_ns = 0;
  bool own = false;  // the explained record has it
};

// Of the records that are right, not noisy, Comparable with `of` and of its schedule and version. Knobs come by
// influence (how far the best with their least lucky value is from the best of all), the greatest first, values in
// order. Knobs with a single value are left out.
std::vector<KnobValue> KnobInfluence(const std::vector<Record>& records, const Record& of);

// Whether both are of one workload and measured in one Setup: their times may be compared.
bool Comparable(const Record& a, const Record& b);

}  // namespace hone
