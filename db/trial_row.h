// A record's keys, which are the columns of the store's table `records`. Queries use them, and charts of many records
// need them without reading whole records.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "db/record.h"

namespace hone {

struct TrialRow {
  int64_t seq = 0;  // place in the order of arrival
  std::string id, workload, schedule, config;
  int schedule_version = 1;
  std::string triple, cpu, features;      // of the target; features sorted, separated by commas
  std::string fingerprint, device;        // of the machine: text and short id; empty if not known
  std::string cpu_model, host, llvm_cpu;  // as in Environment
  std::string key, label;                 // of its runner
  int threads = 1;
  CacheMode cache = CacheMode::kColdWeights;
  Fate fate = Fate::kOk;
  bool noisy = false, emulated = false;
  int64_t min_ns = 0;   // least sample; 0: none
  int64_t unix_ms = 0;  // time of the measurement, a label
  std::string session;
  int held = 0, place = 0;  // as in FinalsPart
  bool operator==(const TrialRow&) const = default;
};

TrialRow TrialRowOf(const Record& record, int64_t seq);

// The version of a store's tables, for every engine. docs/reference/formats.md describes them.
inline constexpr int64_t kSchemaVersion = 6;
inline constexpr int64_t kStoreApplicationId = 0x484F4E45;  // "HONE"; permanent

// Calls column(name, version, member) for each column of the table `records` that is in a TrialRow. `version` is the
// first one that has the column. A row is never changed or removed, because stores of every version exist. A new column
// is a row with the next kSchemaVersion: every engine then adds it, with 0 or '' for the records that are there.
template <typename Row, typename Column>
  requires std::same_as<std::remove_const_t<Row>, TrialRow>
void EachColumn(Row& row, const Column& column) {
  column("id", 1, row.id);
  column("workload", 1, row.workload);
  column("schedule", 1, row.schedule);
  column("schedule_version", 1, row.schedule_version);
  column("config", 1, row.config);
  column("triple", 1, row.triple);
  column("cpu", 1, row.cpu);
  column("features", 1, row.features);
  column("threads", 1, row.threads);
  column("fate", 1, row.fate);
  column("min_ns", 1, row.min_ns);
  column("cache", 1, row.cache);
  column("noisy", 1, row.noisy);
  column("emulated", 1, row.emulated);
  column("cpu_model", 1, row.cpu_model);
  column("host", 1, row.host);
  column("session", 1, row.session);
  column("unix_ms", 1, row.unix_ms);
  column("held", 2, row.held);
  column("place", 2, row.place);
  column("fingerprint", 3, row.fingerprint);
  column("device", 3, row.device);
  column("llvm_cpu", 3, row.llvm_cpu);
  column("runner_key", 3, row.key);
  column("label", 3, row.label);
}

// Whether a member of a TrialRow is a text in its table. All others are integers.
template <typename Member>
inline constexpr bool kIsText = std::is_same_v<std::remove_cvref_t<Member>, std::string>;

// The SQL that adds the columns of a version to `records`, with the engine's names of types. Empty if it has none.
std::string SqlOfNewColumns(int64_t version, std::string_view text_type, std::string_view integer_type);

}  // namespace hone
