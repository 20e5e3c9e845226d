#include "lab/records/best_records.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/text/parse_number.h"
#include "db/trial_row.h"
#include "db/verdicts/best_lookup.h"
#include "db/verdicts/row_verdicts.h"
#include "lab/machine/device_name.h"

namespace hone {
namespace {

// Collects competing records in groups.
class Contest {
 public:
  // `row` holds the order of arrival; `trial` is of the same record.
  void Add(const TrialRow& trial, BestRow row) {
    if (trial.fate != Fate::kOk || trial.noisy || trial.emulated || trial.min_ns <= 0) return;
    groups_[Key(trial.workload, MachineKey(trial), trial.cpu, trial.threads, trial.cache)].push_back(std::move(row));
  }

  // The best of each group.
  std::vector<BestRow> Winners() {
    std::vector<BestRow> winners;
    for (auto& [key, rows] : groups_) {
      WorthByFinals(rows);
      winners.push_back(*std::min_element(rows.begin(), rows.end(), [](const BestRow& a, const BestRow& b) {
        return std::tuple(a.worth_ns, a.held == 0, a.min_ns) < std::tuple(b.worth_ns, b.held == 0, b.min_ns);
      }));
    }
    return winners;
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string, int, CacheMode>;
  std::map<Key, std::vector<BestRow>> groups_;
};

// Consecutive rows of a store often have one setup, so the rows made here share it.
class BestRows {
 public:
  BestRow Of(const TrialRow& trial) {
    BestRow row;
    row.seq = trial.seq;
    row.id = RecordId(trial.id);
    row.setup = SetupFor(trial);
    row.min_ns = trial.min_ns;
    row.session = trial.session;
    row.candidate = CandidateText(trial.schedule, trial.config);
    row.held = trial.held;
    row.place = trial.place;
    return row;
  }

 private:
  using Texts = std::tuple<std::string, std::string, std::string, std::string, int, CacheMode>;

  const SharedSetup& SetupFor(const TrialRow& t) {
    const auto [at, is_new] =
        setups_.try_emplace(Texts(t.triple, t.cpu, t.features, t.fingerprint, t.threads, t.cache));
    if (!is_new) return at->second;
    Target target{t.triple, t.cpu, {}, 0};
    for (const std::string_view feature : Split(t.features, ',')) {
      if (!feature.empty()) target.features.emplace_back(feature);
    }
    const Fingerprint machine = t.fingerprint.empty() ? Fingerprint() : Fingerprint::Parse(t.fingerprint);
    return at->second = SharedSetup({target, machine, t.threads, t.cache});
  }

  std::map<Texts, SharedSetup> setups_;
};

}  // namespace

std::vector<Record> BestOf(const std::vector<Record>& records) {
  Contest contest;
  for (size_t i = 0; i < records.size(); ++i) {
    const auto seq = static_cast<int64_t>(i);
    contest.Add(TrialRowOf(records[i], seq), BestRowOf(records[i], seq));
  }
  std::vector<Record> best;
  for (const BestRow& row : contest.Winners()) best.push_back(records[static_cast<size_t>(row.seq)]);
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
  BestRows rows;
  RecordQuery one = query;
  one.workloads.clear();
  for (const std::string& workload : WorkloadsOf(store, query)) {
    Contest contest;
    one.workload = workload;
    store.EachTrial(one, [&](const TrialRow& trial) { contest.Add(trial, rows.Of(trial)); });
    for (const BestRow& row : contest.Winners()) ids.push_back(row.id.text());
  }
  return ids;
}

}  // namespace hone
