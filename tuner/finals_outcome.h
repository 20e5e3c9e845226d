// The outcome of a task's finals according to its records.
#pragma once

#include <optional>
#include <vector>

#include "db/record.h"
#include "tuner/rank_finalists.h"
#include "tuner/search/strategy.h"

namespace hone {

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
