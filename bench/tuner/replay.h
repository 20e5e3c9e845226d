// One strategy on one recorded space, trial by trial.
#pragma once

#include <cstdint>

#include "bench/tuner/recorded_schedule.h"

namespace hone::bench {

inline constexpr int kReplayBatch = 16;  // as the tuning loop's
inline constexpr double kNear = 1.05;    // of the space's best: good enough
inline constexpr int kShortRun = 64;     // trials after which a run's loss is looked at

struct Replayed {
  double trials_to_near = 0;  // until a config within kNear was timed; all there were when none was
  double loss = 0;            // best of the first kShortRun trials over the space's best, minus 1
};

// Goes on until both are known. `free_trials` proposals at the start are observed and not counted.
Replayed Replay(Strategy& strategy, const RecordedTask& task, int free_trials = 0);

// What a search that stopped after some trials left: `count` observations that an evolutionary search meets first.
std::vector<Observation> ShortSearch(const RecordedTask& task, size_t count, uint64_t seed);

}  // namespace hone::bench
