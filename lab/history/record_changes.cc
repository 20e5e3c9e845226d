#include "lab/history/record_changes.h"

#include <map>
#include <optional>
#include <utility>

#include "lab/comparison/compare_records.h"

namespace hone {
namespace {

// Reads each workload's best record; workloads with only noisy ones have none.
std::vector<Record> BestRecords(const RecordStore& store, const std::map<std::string, WorkloadRows>& rows) {
  std::vector<Record> records;
  for (const auto& [key, of_workload] : rows) {
    bool noisy = false;
    const std::string id = of_workload.BestId(&noisy);
    if (id.empty() || noisy) continue;
    if (std::optional<Record> record = store.Get(id)) records.push_back(std::move(*record));
  }
  return records;
}

}  // namespace

std::vector<RecordDiff> RecordChangesSince(const RecordStore& store, const RecordQuery& devices,
                                           const std::set<std::string>& workloads, int64_t since_ms) {
  if (workloads.empty()) return {};
  RecordQuery query = devices;
  query.workloads.assign(workloads.begin(), workloads.end());
  return RecordChangesSince(store, query, since_ms);
}

std::vector<RecordDiff> RecordChangesSince(const RecordStore& store, const RecordQuery& query, int64_t since_ms) {
  std::map<std::string, WorkloadRows> before, since;
  store.EachTrial(query, [&](const TrialRow& row) {
    (row.unix_ms < since_ms ? before : since)[SetupKey(row) + "\n" + row.workload].Add(row);
  });
  return DiffRecords(BestRecords(store, before), BestRecords(store, since));
}

}  // namespace hone
