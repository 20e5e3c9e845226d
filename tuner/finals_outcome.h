// Decides the winner of a task's finals: by the times of its finalists, and by its records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/stats/sample_statistics.h"
#include "db/record.h"
#include "tuner/search/strategy.h"

namespace hone {

// The result of one finalist.
struct Standing {
  int place = 0;         // 1 = the winner; the others by time
  MedianInterval ns;     // of the least samples of its processes
  double p = 1;          // against the incumbent, corrected for the number of challengers; 1 for the incumbent
  double gain = 0;       // share of the incumbent's time that it saves; negative if it is slower
  bool differs = false;  // p < 0.05 and at least 1 % off, either way
};

struct FinalsVerdict {
  size_t winner = 0;
  std::vector<Standing> standings;  // by finalist
};

// least_ns[f][r] is the least sample of finalist f's process in round r; no list may be empty. A process counts as one
// observation, because its samples share its addresses. Tests over pooled samples would find that a kernel differs
// from itself (docs/why/measuring.md). The fastest challenger that differs from the incumbent (Mann-Whitney,
// Bonferroni's correction) replaces it. If none does, the incumbent wins, whatever the medians.
FinalsVerdict RankFinalists(const std::vector<std::vector<int64_t>>& least_ns, size_t incumbent);

struct Finalist {
  Proposal proposal;
  std::vector<int64_t> least_ns;  // by round
};

struct FinalsOutcome {
  std::vector<Finalist> finalists;  // candidates that were right in every round and not always noisy, as they came
  size_t incumbent = 0;             // its index
  FinalsVerdict verdict;            // with the same indices

  const Finalist& winner() const { return finalists[verdict.winner]; }
};

// Judges the records of one finals without regard to their recorded places. Exception: records of finals in the built
// model name their winner. nullopt when the incumbent is not among the finalists or has no challenger.
std::optional<FinalsOutcome> OutcomeOf(const std::vector<Record>& records);

}  // namespace hone
