// Records as a build's source of configs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/build_context.h"
#include "core/config_source.h"
#include "db/best_lookup.h"
#include "db/record_layers.h"
#include "db/record_store.h"
#include "db/transfer_losses.h"

namespace hone {

// Why a build cannot run a config, for people; nullopt when it can.
using ConfigRefusal = std::function<std::optional<std::string>(const std::string& schedule, const Config& config)>;

// A record that a build considers, and what became of it.
struct ConsideredRecord {
  enum class Verdict : uint8_t {
    kTaken,
    kSameKernel,    // the taken one's kernel, measured another time
    kBehind,        // the taken one comes before it: `decided` says by what
    kRefused,       // by the schedules: `detail` says why
    kOtherVersion,  // of its schedule: its config means another kernel today
    kLeftOut,       // by the lookup: `left_out` and `detail` say why
  };
  BestRow row;
  Verdict verdict = Verdict::kLeftOut;
  Criterion decided = Criterion::kRank;
  LeftOut left_out = LeftOut::kFailed;
  std::string detail;
};

// How much slower than the best here a record of another kind of machine is expected to be.
struct ExpectedLoss {
  double share = 0;  // 0.12: 1.12 times the best's time
  int tasks = 0;     // that its kind and the wanted one both measured; 0: no records connect them, and the schedules'
                     // estimate stands in: of its config over that of the analytic default
  bool operator==(const ExpectedLoss&) const = default;
};

// Takes the best of all layers, as LookUpBest ranks them (db/best_lookup.h); where that is a record of another kind of
// machine, in the order of TransferLosses.
class RecordConfigSource : public ConfigSource {
 public:
  // `machine`: that the build is for; not known when it is for others than this one. The layers, or the store, must
  // outlive it. A choice's source ends in ", ORIGIN" where its layer is not called kStoreOrigin.
  RecordConfigSource(const RecordLayers& layers, Fingerprint machine) : layers_(layers), machine_(std::move(machine)) {}
  RecordConfigSource(const RecordStore& store, Fingerprint machine);
  RecordConfigSource(const RecordConfigSource&) = delete;
  RecordConfigSource& operator=(const RecordConfigSource&) = delete;
  std::optional<ConfigChoice> Choose(
      const Workload& workload, const Target& target, int threads,
      const std::function<bool(const std::string& schedule, const Config& config)>& valid) override;
  // Of the best record's rank, machine, threads and code: what was timed elsewhere is no measure here.
  std::vector<ConfigChoice> ChooseEach(const Workload& workload, const Target& target, int threads,
                                       const ConfigClass& class_of) override;

  // Every record that Choose looks at, in its order, then those that the lookup leaves out. At most one is taken.
  std::vector<ConsideredRecord> Consider(const Workload& workload, const Target& target, int threads,
                                         const ConfigRefusal& refusal) const;
  // How many records of the workload are of another version of their schedule than this hone's: none of them is taken.
  int64_t OtherVersions(const Workload& workload) const;
  // How many records of the workloads that were looked up blame a candidate for the trouble of a machine: they speak
  // against no other record.
  int64_t BlamesForMachine() const;
  // What Choose gives of the row.
  ConfigChoice ChoiceOf(const BestRow& row) const;
  // Of a ranked row; nullopt where this kind of machine measured it, and where there is nothing to go by.
  std::optional<ExpectedLoss> LossOf(const Workload& workload, const BestRow& row, const BuildContext& context) const;
  // Of the record that a choice named.
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

  RecordLayers own_layers_;  // of the one store
  const RecordLayers& layers_;
  const Fingerprint machine_;
  mutable std::map<std::string, int64_t> blames_;  // by workload
  mutable std::optional<Known> known_;             // of the last that was asked for: reading a store takes time
};

// "record", "other threads", "same microarchitecture", "near": how near the machine of a rank is.
std::string_view NearnessName(int rank);

}  // namespace hone
