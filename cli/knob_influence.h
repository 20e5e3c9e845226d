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

// Of the records that are right, not noisy, and of `of`'s workload, schedule and version, target, CPU model, threads
// and cache mode. Knobs come by influence (how far the best with their least lucky value is from the best of all), the
// greatest first, values in order. Knobs with a single value are left out.
std::vector<KnobValue> KnobInfluence(const std::vector<Record>& records, const Record& of);

// Whether both were measured on the same kind of machine in the same way: their times may be compared.
bool Comparable(const Record& a, const Record& b);

}  // namespace hone
