// Checks whether measurements of others hold on this machine.
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
  kHolds,   // its time here is within 3 % of the recorded one
  kFaster,  // it is faster here than where it was measured
  kSlower,  // it is slower here; as for kFaster, it is no worse than the default
  kLoses,   // the analytic default is faster here
  kFailed,  // it cannot be built, crashes or computes something else here
};
// "holds", "faster", "slower", "loses to the default", "fails".
std::string_view HoldingName(Holding holding);

struct VerifiedRecord {
  std::string id, workload;
  Holding holding = Holding::kFailed;
  int64_t recorded_ns = 0, here_ns = 0, default_ns = 0;  // least samples; 0 if there is none
  std::string why;                                       // reason of a failure
};

struct VerifyOptions {
  BuildContext context;   // of the build: the runner's machine
  int64_t budget_ns = 0;  // no further workload is begun after it; 0: none
  uint64_t seed = 0;
};

struct VerifyReport {
  std::vector<VerifiedRecord> records;  // longest times first
  int64_t not_reached = 0;              // workloads that were not timed: the budget was over, or the machine lost
  bool lost = false;                    // the machine was lost twice in one workload
};

// Takes the record of each workload that a build for this machine would choose among `records`. Times it in turns with
// the analytic default (kVerifyRounds fresh processes of each). The results are appended to `store` as finals
// (docs/why/tuning.md), so that no later build takes a record that lost here. A failure here is recorded too, so that
// no build takes the record (db/verdicts/row_verdicts.h). Throws Error: kNoRunner, and the machine's failure
// (core/failure.h), which is no verdict on any record.
VerifyReport VerifyRecords(const std::vector<Record>& records, const VerifyOptions& options, Runner& runner,
                           RecordStore& store, const TuneTools& tools, const std::function<bool()>& halted,
                           const std::function<void(const VerifiedRecord&)>& observe);
inline constexpr int kVerifyRounds = 5;
inline constexpr double kHoldsWithin = 0.03;

}  // namespace hone
