// Explains a record: its roofline, its knobs, and its kernel beside another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "db/record.h"
#include "db/record_store.h"
#include "lab/machine/hot_loop.h"
#include "lab/records/kernel_bounds.h"

namespace hone {

// The least time measured with one value of a knob.
struct KnobValue {
  std::string knob;
  int64_t value = 0;
  int64_t records = 0;  // number with this value
  int64_t least_ns = 0;
  bool own = false;  // whether the explained record has the value
};

// Uses the correct records that are not noisy, are Comparable with `of`, and have its schedule and version. Knobs are
// sorted by influence, the greatest first, and then values in order. A knob's influence is the distance from the least
// time of all to the least with the knob's worst value. Knobs with a single value are left out.
std::vector<KnobValue> KnobInfluence(const std::vector<Record>& records, const Record& of);

// Whether both have the same workload and Setup, so that their times may be compared.
bool Comparable(const Record& a, const Record& b);

struct ExplainedKernel {
  std::string what;  // "this record", "the best other", "the default"
  Candidate candidate;
  int64_t ns = 0;  // 0: not measured
  HotLoop loop;
};

struct Explanation {
  Record record;
  KernelBounds bounds;   // at roofs measured now if it is this machine's, else assumed for its kind of CPU
  int64_t least_ns = 0;  // least time of its schedule's comparable records
  // The record that a build for this setup takes (db/verdicts/best_in_setup.h): the time that it counts as, and its id,
  // empty if no record may be used.
  int64_t best_ns = 0;
  std::string best_id;
  int64_t configs = 0, faster = 0;  // comparable configs with a time, of any schedule; those of them that are faster
  std::vector<KnobValue> knobs;
  std::vector<ExplainedKernel>
      kernels;  // the record's, then that of the best other config of its setup, else the analytic default's
};

// Compiles the kernels again for their target. Throws Error(kUsage) for a record without a time, or of a schedule or
// version that this hone lacks.
Explanation ExplainRecord(const Record& record, const RecordStore& store);

Json ExplanationJson(const Explanation& explanation);

}  // namespace hone
