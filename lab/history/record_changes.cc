#include "lab/history/record_changes.h"

#include <map>
#include <optional>
#include <utility>

#include "lab/records/best_records.h"

namespace hone {
namespace {

// The trials of one workload on one side of the day.
struct SideOfDay {
  SetupTrials all;                            // of any setup: a kernel that failed with warm caches failed
  std::map<std::string, SetupTrials> setups;  // those of the query

  // The best record of each setup, by this side's records alone. Setups with only noisy ones have none.
  void AddBest(const RecordStore& store, std::vector<BestRow> rows, std::vector<Record>& best) const {
    std::erase_if(rows, [this](const BestRow& row) { return !all.Has(row); });
    for (const auto& [key, trials] : setups) {
      const std::optional<BestRow> row = trials.Best(rows);
      if (!row) continue;
      if (std::optional<Record> record = store.Get(row->id.text())) best.push_back(std::move(*record));
    }
  }
};

}  // namespace

std::vector<RecordDiff> RecordChangesSince(const RecordStore& store, const RecordQuery& devices,
                                           const std::set<std::string>& workloads, int64_t since_ms) {
  if (workloads.empty()) return {};
  RecordQuery query = devices;
  query.workloads.assign(workloads.begin(), workloads.end());
  return RecordChangesSince(store, query, since_ms);
}

std::vector<RecordDiff> RecordChangesSince(const RecordStore& store, const RecordQuery& query, int64_t since_ms) {
  std::map<std::string, std::pair<SideOfDay, SideOfDay>> workloads;
  store.EachTrial(query, [&](const TrialRow& row) {
    auto& [before, since] = workloads[row.workload];
    (row.unix_ms < since_ms ? before : since).setups[SetupKey(row)].Add(row);
  });
  std::vector<Record> old_best, new_best;
  for (auto& [workload, sides] : workloads) {
    RecordQuery any;
    any.workload = workload;
    store.EachTrial(any, [&sides = sides, since_ms](const TrialRow& row) {
      (row.unix_ms < since_ms ? sides.first : sides.second).all.Add(row);
    });
    const std::vector<BestRow> rows = store.Rows(workload);
    sides.first.AddBest(store, rows, old_best);
    sides.second.AddBest(store, rows, new_best);
  }
  return DiffRecords(old_best, new_best);
}

}  // namespace hone
