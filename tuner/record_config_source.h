// Records as a build's source of configs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/build_context.h"
#include "core/candidate.h"
#include "db/record_layers.h"
#include "db/record_store.h"
#include "db/transfer_losses.h"
#include "db/verdicts/best_lookup.h"

namespace hone {

// The reason, for people, why a build cannot run a config; nullopt if it can.
using ConfigRefusal = std::function<std::optional<std::string>(const std::string& schedule, const Config& config)>;

// A record that a build considers, with its verdict.
struct ConsideredRecord {
  enum class Verdict : uint8_t {
    kTaken,
    kSameKernel,    // the taken record's kernel, measured at another time
    kBehind,        // the taken record comes before it: `decided` has the criterion
    kRefused,       // by the schedules: `detail` has the reason
    kOtherVersion,  // its schedule has another version: its config means another kernel
    kLeftOut,       // by the lookup: `left_out` and `detail` have the reason
  };
  BestRow row;
  Verdict verdict = Verdict::kLeftOut;
  Criterion decided = Criterion::kRank;
  LeftOut left_out = LeftOut::kFailed;
  std::string detail;
};

// The expected slowdown of another kind of machine's record against the best here.
struct ExpectedLoss {
  double share = 0;  // 0.12: 1.12 times the best's time
  // Number of tasks that its kind and the wanted one both measured. If 0, no records connect them, and `share` comes
  // from the schedules' estimates: that of its config over that of the analytic default.
  int tasks = 0;
  bool operator==(const ExpectedLoss&) const = default;
};

// Takes the best record of all layers, as LookUpBest ranks them (db/verdicts/best_lookup.h). If that record is from
// another kind of machine, the order is that of TransferLosses.
class RecordConfigSource : public ConfigSource {
 public:
  // `machine` is the one that the build is for; it is not known when the build is for others than this one. The
  // layers, or the store, must outlive it. A choice's source ends in ", ORIGIN" if its layer is not kStoreOrigin.
  RecordConfigSource(const RecordLayers& layers, Fingerprint machine) : layers_(layers), machine_(std::move(machine)) {}
  RecordConfigSource(const RecordStore& store, Fingerprint machine);
  RecordConfigSource(const RecordConfigSource&) = delete;
  RecordConfigSource& operator=(const RecordConfigSource&) = delete;
  std::optional<ConfigChoice> Choose(
      const Workload& workload, const Target& target, int threads,
      const std::function<bool(const std::string& schedule, const Config& config)>& valid) override;
  // Choices only from the best record's rank, machine, threads and code, because times from elsewhere do not compare.
  std::vector<ConfigChoice> ChooseEach(const Workload& workload, const Target& target, int threads,
                                       const ConfigClass& class_of) override;

  // Every record that Choose reads, in its order, then those that the lookup leaves out. At most one is taken.
  std::vector<ConsideredRecord> Consider(const Workload& workload, const Target& target, int threads,
                                         const ConfigRefusal& refusal) const;
  // The number of the workload's records of another version of their schedule than this hone's. None of them is taken.
  int64_t OtherVersions(const Workload& workload) const;
  // The number of records, over the workloads looked up, that blame a candidate for a failure of the machine. They do
  // not speak against other records.
  int64_t BlamesForMachine() const;
  // Choose's result for the row.
  ConfigChoice ChoiceOf(const BestRow& row) const;
  // For a ranked row; nullopt if this kind of machine measured it, or if there is no basis for an estimate.
  std::optional<ExpectedLoss> LossOf(const Workload& workload, const BestRow& row, const BuildContext& context) const;
  // For the record that a choice named.
  std::optional<ExpectedLoss> LossOf(const Workload& workload, const std::string& record,
                                     const BuildContext& context) const;

 private:
  BestLookup LookUp(const Workload& workload, const Target& target, int threads) const;

  struct Known {
    Target target;
    int threads = 0;
    TransferLosses losses;
    std::map<std::string, double> default_ns = {};  // the analytic default's estimate, by workload
  };
  Known& KnownFor(const BestWanted& wanted) const;

  RecordLayers own_layers_;  // layers of a single store
  const RecordLayers& layers_;
  const Fingerprint machine_;
  mutable std::map<std::string, int64_t> blames_;  // by workload
  mutable std::optional<Known> known_;             // for the last target and threads: reading a store takes time
};

// The nearness of a rank's machine: "record", "other threads", "same microarchitecture", "near".
std::string_view NearnessName(int rank);

}  // namespace hone
