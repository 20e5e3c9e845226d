// A record seen from all sides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/hot_loop.h"
#include "cli/knob_influence.h"
#include "core/serialize.h"
#include "db/record_store.h"

namespace hone {

struct ExplainedKernel {
  std::string what;  // "this record", "the best other", "the default"
  Candidate candidate;
  int64_t ns = 0;  // least sample; 0: not measured
  HotLoop loop;
};

struct Explanation {
  Record record;
  double flops = 0;
  int64_t bytes = 0;                // of its operands, each moved once
  double peak_gflops = 0;           // measured now; 0: the record is of another machine
  int64_t best_ns = 0;              // of its schedule's comparable records
  int64_t configs = 0, faster = 0;  // comparable ones with a time, of any schedule; those faster than it
  std::vector<KnobValue> knobs;
  std::vector<ExplainedKernel> kernels;  // it, then the best other comparable config, else the analytic default
};

// Kernels are compiled anew for their target. Throws Error(kUsage) for a record without a time, or one of a schedule or
// version that this hone does not have.
Explanation ExplainRecord(const Record& record, const RecordStore& store);

Json ExplanationJson(const Explanation& explanation);

}  // namespace hone
