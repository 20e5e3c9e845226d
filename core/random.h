// A small random generator whose stream is the same on every platform (std:: distributions are not).
#pragma once

#include <cstdint>

namespace hone {

// xoshiro256** seeded by splitmix64 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018).
class Random {
 public:
  explicit Random(uint64_t seed);
  uint64_t Next();
  // Uniform in [0, bound); bound >= 1. Unbiased (Lemire 2018, multiply-shift with rejection).
  uint64_t Below(uint64_t bound);
  // Uniform in [0, 1), 53 bits.
  double Uniform();
  // Standard normal by Box-Muller.
  double Normal();

 private:
  uint64_t state_[4];
};

}  // namespace hone
