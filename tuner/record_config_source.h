// Records as a build's source of configs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config_source.h"
#include "db/best_lookup.h"
#include "db/record_layers.h"
#include "db/record_store.h"

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

// Takes the best of all layers, as LookUpBest ranks them (db/best_lookup.h).
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
  // What Choose gives of the row.
  ConfigChoice ChoiceOf(const BestRow& row) const;

 private:
  BestLookup LookUp(const Workload& workload, const Target& target, int threads) const;

  RecordLayers own_layers_;  // of the one store
  const RecordLayers& layers_;
  const Fingerprint machine_;
};

// "record", "other threads", "same microarchitecture", "near": how near the machine of a rank is.
std::string_view NearnessName(int rank);

}  // namespace hone
