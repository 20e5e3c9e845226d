#include "tuner/finals_outcome.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/stats/sample_statistics.h"

namespace hone {
namespace {

constexpr double kSignificance = 0.05;
constexpr double kLeastGain = 0.01;

Standing Against(const std::vector<int64_t>& incumbent, const std::vector<int64_t>& challenger, size_t challengers) {
  Standing standing;
  standing.ns = MedianOf(challenger);
  standing.p = std::min(1.0, MannWhitney(challenger, incumbent).p * static_cast<double>(challengers));
  standing.gain = 1 - static_cast<double>(standing.ns.median) / static_cast<double>(MedianOf(incumbent).median);
  standing.differs = standing.p < kSignificance && std::abs(standing.gain) >= kLeastGain;
  return standing;
}

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

FinalsVerdict RankFinalists(const std::vector<std::vector<int64_t>>& least_ns, size_t incumbent) {
  FinalsVerdict verdict;
  verdict.winner = incumbent;
  for (size_t f = 0; f < least_ns.size(); ++f) {
    Standing standing;
    standing.ns = MedianOf(least_ns[f]);
    if (f != incumbent) standing = Against(least_ns[incumbent], least_ns[f], least_ns.size() - 1);
    verdict.standings.push_back(standing);
  }
  const std::vector<Standing>& all = verdict.standings;
  for (size_t f = 0; f < all.size(); ++f) {
    const bool better = all[f].differs && all[f].gain > 0;
    if (better && all[f].ns.median < all[verdict.winner].ns.median) verdict.winner = f;
  }
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if ((a == verdict.winner) != (b == verdict.winner)) return a == verdict.winner;
    return all[a].ns.median < all[b].ns.median;
  });
  for (size_t i = 0; i < order.size(); ++i) verdict.standings[order[i]].place = static_cast<int>(i) + 1;
  return verdict;
}

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
