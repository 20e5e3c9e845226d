#include "lab/history/record_changes.h"

#include <map>
#include <optional>
#include <utility>

#include "lab/records/best_records.h"

namespace hone {
namespace {

// The trials of one workload on one side of the day.
struct Side {
  SetupTrials all;
  std::map<std::string, SetupTrials> setups;

  void Add(const TrialRow& row) {
    all.Add(row);
    setups[SetupKey(row)].Add(row);
  }

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
  std::map<std::string, std::pair<Side, Side>> workloads;
  store.EachTrial(query, [&](const TrialRow& row) {
    auto& [before, since] = workloads[row.workload];
    (row.unix_ms < since_ms ? before : since).Add(row);
  });
  std::vector<Record> old_best, new_best;
  for (const auto& [workload, sides] : workloads) {
    const std::vector<BestRow> rows = store.Rows(workload);
    sides.first.AddBest(store, rows, old_best);
    sides.second.AddBest(store, rows, new_best);
  }
  return DiffRecords(old_best, new_best);
}

}  // namespace hone
