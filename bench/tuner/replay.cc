#include "bench/tuner/replay.h"

#include <algorithm>

#include "tuner/search/search_space.h"

namespace hone::bench {

Replayed Replay(Strategy& strategy, const RecordedTask& task, int free_trials) {
  for (const Proposal& proposal : strategy.Propose(free_trials)) strategy.Observe(task.Measure(proposal));
  Replayed result;
  int64_t best = 0;
  for (int trials = 0; trials < kShortRun || result.trials_to_near == 0;) {
    const std::vector<Proposal> batch = strategy.Propose(kReplayBatch);
    if (batch.empty() && result.trials_to_near == 0) result.trials_to_near = trials;
    if (batch.empty()) break;
    for (const Proposal& proposal : batch) {
      const Observation seen = task.Measure(proposal);
      ++trials;
      strategy.Observe(seen);
      if (seen.ok && (best == 0 || seen.min_ns < best)) best = seen.min_ns;
      const double ratio = best == 0 ? 1e9 : static_cast<double>(best) / static_cast<double>(task.best_ns);
      if (ratio <= kNear && result.trials_to_near == 0) result.trials_to_near = trials;
      if (trials <= kShortRun) result.loss = ratio - 1;
    }
  }
  return result;
}

std::vector<Observation> ShortSearch(const RecordedTask& task, size_t count, uint64_t seed) {
  std::vector<Observation> known;
  const auto search = MakeStrategy("evolutionary", task.task, seed);
  while (known.size() < count) {
    const auto proposals = search->Propose(kReplayBatch);
    if (proposals.empty()) break;
    for (const Proposal& proposal : proposals) {
      known.push_back(task.Measure(proposal));
      search->Observe(known.back());
    }
  }
  return known;
}

}  // namespace hone::bench
