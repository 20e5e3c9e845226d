// Explains a record: its roofline, its knobs, and its kernel beside another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "db/record_store.h"
#include "lab/machine/hot_loop.h"
#include "lab/records/knob_influence.h"

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
  int64_t best_ns = 0;              // least time of its schedule's comparable records
  int64_t configs = 0, faster = 0;  // comparable configs with a time, of any schedule; those of them that are faster
  std::vector<KnobValue> knobs;
  std::vector<ExplainedKernel>
      kernels;  // the record's, then the best other comparable config's, else the analytic default's
};

// Compiles the kernels again for their target. Throws Error(kUsage) for a record without a time, or of a schedule or
// version that this hone lacks.
Explanation ExplainRecord(const Record& record, const RecordStore& store);

Json ExplanationJson(const Explanation& explanation);

}  // namespace hone
