// Estimates the remaining time of a tuning run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tuner/tuner.h"

namespace hone {

// Trial() reports each trial. The estimate uses the rate of the later half of them, because the first trials of each
// task also pay for its reference and inputs.
class TimeLeft {
 public:
  explicit TimeLeft(const Budget& budget) : budget_(budget) {}
  // `trial` is the number of trials so far, including those of earlier runs. elapsed_ns is the time since this run
  // began.
  void Trial(int64_t trial, int64_t elapsed_ns);
  // An upper bound of the time left, as a plateau may end the run earlier. nullopt if no time is left or it is unknown.
  std::optional<int64_t> Ns() const;

 private:
  const Budget budget_;
  int64_t trial_ = 0;
  std::vector<int64_t> elapsed_ns_;  // at this run's trials
};

}  // namespace hone
