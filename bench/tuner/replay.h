// Replays one strategy on one recorded space, trial by trial.
#pragma once

#include <cstdint>

#include "bench/tuner/recorded_schedule.h"

namespace hone::bench {

inline constexpr int kReplayBatch = 16;  // the tuning loop's
inline constexpr double kNear = 1.05;    // times the space's best: good enough
inline constexpr int kShortRun = 64;     // trials after which a run's loss is taken

struct Replayed {
  double trials_to_near = 0;  // until a config within kNear was timed, or all trials if none was
  double loss = 0;            // best of the first kShortRun trials over the space's best, minus 1
};

// Runs until both are known. The first `free_trials` proposals are observed but not counted.
Replayed Replay(Strategy& strategy, const RecordedTask& task, int free_trials = 0);

// The first `count` observations of a search, with which an evolutionary search is seeded.
std::vector<Observation> ShortSearch(const RecordedTask& task, size_t count, uint64_t seed);

}  // namespace hone::bench
