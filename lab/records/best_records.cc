#include "lab/records/best_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "db/trial_row.h"
#include "db/verdicts/best_in_setup.h"
#include "lab/machine/device_name.h"

namespace hone {

std::string SetupKey(const TrialRow& row) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", MachineKey(row), row.cpu, row.features, row.threads,
                     CacheModeName(row.cache));
}

bool SetupTrials::Has(const BestRow& row) const { return std::binary_search(places_.begin(), places_.end(), row.seq); }

std::optional<BestRow> SetupTrials::Best(const std::vector<BestRow>& rows) const {
  return BestInSetup(rows, [this](const BestRow& row) { return Has(row); });
}

std::optional<BestRow> SetupTrials::Noisy(const std::vector<BestRow>& rows) const {
  const BestRow* quickest = nullptr;
  for (const BestRow& row : rows) {
    if (row.fate != Fate::kOk || !row.noisy || row.min_ns <= 0 || !Has(row)) continue;
    if (quickest == nullptr || row.min_ns < quickest->min_ns) quickest = &row;
  }
  return quickest == nullptr ? std::nullopt : std::optional(*quickest);
}

namespace {

using TrialsBySetup = std::map<std::string, SetupTrials>;

void AddUnlessEmulated(const TrialRow& row, TrialsBySetup& setups) {
  if (!row.emulated) setups[SetupKey(row)].Add(row);
}

std::vector<BestRow> BestOfEach(const TrialsBySetup& setups, const std::vector<BestRow>& rows) {
  std::vector<BestRow> best;
  for (const auto& [key, trials] : setups) {
    if (std::optional<BestRow> row = trials.Best(rows)) best.push_back(std::move(*row));
  }
  return best;
}

}  // namespace

std::vector<Record> BestOf(const std::vector<Record>& records) {
  std::map<std::string, std::pair<TrialsBySetup, std::vector<BestRow>>> workloads;
  for (size_t i = 0; i < records.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    auto& [setups, rows] = workloads[records[i].candidate.workload.ToText()];
    AddUnlessEmulated(TrialRowOf(records[i], place), setups);
    rows.push_back(BestRowOf(records[i], place));
  }
  std::vector<Record> best;
  for (const auto& [workload, of] : workloads) {
    for (const BestRow& row : BestOfEach(of.first, of.second)) best.push_back(records[static_cast<size_t>(row.seq)]);
  }
  return best;
}

std::vector<std::string> WorkloadsOf(const RecordStore& store, const RecordQuery& query) {
  std::vector<std::string> workloads = query.workloads;
  if (!query.workload.empty()) workloads = {query.workload};
  if (workloads.empty()) workloads = store.Workloads();
  const std::set<std::string> sorted(workloads.begin(), workloads.end());
  return {sorted.begin(), sorted.end()};
}

std::vector<std::string> BestIds(const RecordStore& store, const RecordQuery& query) {
  std::vector<std::string> ids;
  RecordQuery one = query;
  one.fate.reset();
  one.workloads.clear();
  if (one.until == 0) one.until = store.Arrived();
  for (const std::string& workload : WorkloadsOf(store, query)) {
    TrialsBySetup setups;
    one.workload = workload;
    store.EachTrial(one, [&](const TrialRow& trial) { AddUnlessEmulated(trial, setups); });
    for (const BestRow& row : BestOfEach(setups, store.Rows(workload))) ids.push_back(row.id.text());
  }
  return ids;
}

}  // namespace hone
