// Whether what others measured holds on a machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/build_context.h"
#include "db/record_store.h"
#include "rpc_runner/runner.h"
#include "tuner/tune_tools.h"

namespace hone {

enum class Holding : uint8_t {
  kHolds,   // its time here is the recorded one within 3 %
  kFaster,  // it is faster here than where it was measured,
  kSlower,  // or slower; in both cases it is no worse than the default
  kLoses,   // the analytic default is faster here
  kFailed,  // it cannot be built, crashes or computes something else here
};
// "holds", "faster", "slower", "loses to the default", "fails".
std::string_view HoldingName(Holding holding);

struct VerifiedRecord {
  std::string id, workload;
  Holding holding = Holding::kFailed;
  int64_t recorded_ns = 0, here_ns = 0, default_ns = 0;  // least samples; 0 where there is none
  std::string why;                                       // of a failure
};

struct VerifyOptions {
  BuildContext context;   // what to build for: the runner's machine
  int64_t budget_ns = 0;  // no other workload is begun after it; 0: none
  uint64_t seed = 0;
};

struct VerifyReport {
  std::vector<VerifiedRecord> records;  // those with the longest times first
  int64_t not_reached = 0;              // workloads that were not timed: the budget was over, or the machine lost
  bool lost = false;                    // the machine was, twice in one workload
};

// Of each workload takes the record that a build for this machine would choose among `records`, and times it beside the
// analytic default in turns (kVerifyRounds fresh processes of each). What came out is appended to `store` as finals
// (docs/tuning.md), so that from then on no build takes a record that lost here. What fails here is kept
// as what it was, so that no build takes it (db/failed_since.h). Throws Error: kNoRunner, and the machine's trouble
// (core/failure.h), which is no verdict on any record.
VerifyReport VerifyRecords(const std::vector<Record>& records, const VerifyOptions& options, Runner& runner,
                           RecordStore& store, const TuneTools& tools, const std::function<bool()>& halted,
                           const std::function<void(const VerifiedRecord&)>& observe);
inline constexpr int kVerifyRounds = 5;
inline constexpr double kHoldsWithin = 0.03;

}  // namespace hone
