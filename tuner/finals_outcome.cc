#include "tuner/finals_outcome.h"

#include <algorithm>

namespace hone {
namespace {

struct Seen {
  Finalist finalist;
  bool right = true;
  bool quiet = false;  // at least one round was
  bool incumbent = false;
};

std::vector<Seen> ByCandidate(const std::vector<Record>& records) {
  std::vector<Seen> all;
  for (const Record& record : records) {
    const Proposal proposal{record.candidate.schedule, record.candidate.config};
    auto seen = std::find_if(all.begin(), all.end(), [&](const Seen& s) { return s.finalist.proposal == proposal; });
    if (seen == all.end()) {
      seen = all.insert(all.end(), Seen());
      seen->finalist.proposal = proposal;
    }
    const int64_t least_ns = record.measurement.MinNs();
    seen->right = seen->right && record.measurement.fate == Fate::kOk && least_ns > 0;
    seen->quiet = seen->quiet || !record.measurement.noisy;
    seen->incumbent = record.finals.incumbent;
    seen->finalist.least_ns.push_back(least_ns);
  }
  return all;
}

// A decision in the built model stands, whatever the kernel's time by itself.
void TakeWinner(const Record& record, FinalsOutcome& outcome) {
  for (size_t f = 0; f < outcome.finalists.size(); ++f) {
    const Proposal& proposal = outcome.finalists[f].proposal;
    if (proposal.schedule == record.candidate.schedule && proposal.config == record.candidate.config) {
      outcome.verdict.winner = f;
    }
  }
}

}  // namespace

std::optional<FinalsOutcome> OutcomeOf(const std::vector<Record>& records) {
  FinalsOutcome outcome;
  std::vector<std::vector<int64_t>> least_ns;
  bool has_incumbent = false;
  for (const Seen& seen : ByCandidate(records)) {
    if (!seen.right || !seen.quiet) continue;
    if (seen.incumbent) {
      has_incumbent = true;
      outcome.incumbent = outcome.finalists.size();
    }
    least_ns.push_back(seen.finalist.least_ns);
    outcome.finalists.push_back(seen.finalist);
  }
  if (!has_incumbent || least_ns.size() < 2) return std::nullopt;
  outcome.verdict = RankFinalists(least_ns, outcome.incumbent);
  for (const Record& record : records) {
    if (record.finals.network_ns > 0 && record.finals.place == 1) TakeWinner(record, outcome);
  }
  return outcome;
}

}  // namespace hone
