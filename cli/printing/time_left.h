// How long a tuning run will still take.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tuner/tuner.h"

namespace hone {

// Told of every trial; estimates from the rate of the later half of them, because the first of each task also pay for
// its reference and inputs.
class TimeLeft {
 public:
  explicit TimeLeft(const Budget& budget) : budget_(budget) {}
  // `trial`: how many there were in all, those of earlier runs too. elapsed_ns: since this run began.
  void Trial(int64_t trial, int64_t elapsed_ns);
  // At most so long: a plateau may end it before. nullopt when nothing is left or known.
  std::optional<int64_t> Ns() const;

 private:
  const Budget budget_;
  int64_t trial_ = 0;
  std::vector<int64_t> elapsed_ns_;  // at this run's trials
};

}  // namespace hone
