#include "tuner/finals/network_variants.h"

#include <algorithm>

#include "tuner/finals_outcome.h"

namespace hone {
namespace {

constexpr double kNearWinner = 1.05;

// The finalists from the records of one workload, which are in the order of arrival.
FinalistsOf FromRecords(std::vector<Record> records, size_t most) {
  const int last = records.back().finals.held;
  std::erase_if(records, [last](const Record& record) { return record.finals.held != last; });
  FinalistsOf found;
  found.records = records;
  const auto outcome = OutcomeOf(records);
  if (!outcome) return found;
  const size_t winner = outcome->verdict.winner;
  found.proposals.push_back(outcome->finalists[winner].proposal);
  if (records.front().finals.network_ns > 0) return found;
  if (outcome->incumbent != winner && most > 1) {
    found.proposals.push_back(outcome->finalists[outcome->incumbent].proposal);
  }
  const auto& standings = outcome->verdict.standings;
  const double near_ns = kNearWinner * static_cast<double>(standings[winner].ns.median);
  for (int place = 2; place <= static_cast<int>(standings.size()) && found.proposals.size() < most; ++place) {
    for (size_t f = 0; f < standings.size(); ++f) {
      const bool near = f != outcome->incumbent && static_cast<double>(standings[f].ns.median) <= near_ns;
      if (standings[f].place == place && near) found.proposals.push_back(outcome->finalists[f].proposal);
    }
  }
  return found;
}

}  // namespace

AllFinalists FindFinalists(const RecordStore& store, const std::string& session, const Fingerprint& machine,
                           size_t most) {
  std::map<std::string, std::vector<Record>> by_workload;
  RecordQuery query;
  query.session = session;
  for (const Record& record : store.Find(query)) {
    if (record.finals.held == 0 || FingerprintOf(record.measurement.environment) != machine) continue;
    by_workload[record.candidate.workload.ToText()].push_back(record);
  }
  AllFinalists all;
  for (auto& [workload, records] : by_workload) {
    FinalistsOf found = FromRecords(std::move(records), most);
    if (!found.proposals.empty()) all.emplace(workload, std::move(found));
  }
  return all;
}

std::optional<ConfigChoice> ProposalSource::Choose(
    const Workload& workload, const Target&, int,
    const std::function<bool(const std::string& schedule, const Config& config)>& valid) {
  const auto found = proposals_.find(workload.ToText());
  if (found == proposals_.end() || !valid(found->second.schedule, found->second.config)) return std::nullopt;
  return ConfigChoice{found->second.schedule, found->second.config, "finals", "", 0};
}

std::map<std::string, int64_t> NsByWorkload(const Plan& plan, const std::vector<int64_t>& calls_ns) {
  std::map<std::string, int64_t> sums;
  for (size_t i = 0; i < plan.calls.size() && i < calls_ns.size(); ++i) {
    const Dispatch& dispatch = plan.kernels[static_cast<size_t>(plan.calls[i].kernel)].dispatch;
    if (!dispatch.workload.empty()) sums[dispatch.workload] += calls_ns[i];
  }
  return sums;
}

}  // namespace hone
