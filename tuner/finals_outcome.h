// What the records of a task's finals say.
#pragma once

#include <optional>
#include <vector>

#include "db/record.h"
#include "tuner/rank_finalists.h"
#include "tuner/strategy.h"

namespace hone {

struct Finalist {
  Proposal proposal;
  std::vector<int64_t> least_ns;  // by round
};

struct FinalsOutcome {
  std::vector<Finalist> finalists;  // those that were right in every round and not always noisy, as they came
  size_t incumbent = 0;             // its index
  FinalsVerdict verdict;            // of the same indices

  const Finalist& winner() const { return finalists[verdict.winner]; }
};

// Judges the records of one finals, whatever place they have, but for those that were decided in the built model:
// their winner is the one that they name. nullopt when the incumbent is not among the
// finalists or nobody else is.
std::optional<FinalsOutcome> OutcomeOf(const std::vector<Record>& records);

}  // namespace hone
