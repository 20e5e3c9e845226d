// A small random generator whose stream is the same on every platform, unlike those of the std:: distributions.
#pragma once

#include <cstdint>

namespace hone {

// A hash of 64 bits into 64 bits, every output bit depending on every input bit (splitmix64's finaliser).
constexpr uint64_t MixBits(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Approximately standard normal, in (-3.465, 3.465), from 64 random bits. It is the sum of their four 16-bit parts
// (Irwin-Hall with n = 4), scaled to unit variance. It takes one exact integer sum and one float product, so every
// compiler gives the same bits, unlike a libm's logarithm.
constexpr float NormalFromBits(uint64_t bits) {
  const auto sum =
      static_cast<int32_t>((bits & 0xffff) + ((bits >> 16) & 0xffff) + ((bits >> 32) & 0xffff) + (bits >> 48));
  return static_cast<float>(sum - 2 * 0xffff) * 2.6428998e-05F;  // 1 / sqrt((2^32 - 1) / 3)
}

// xoshiro256** seeded by splitmix64 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018).
class Random {
 public:
  explicit Random(uint64_t seed);
  uint64_t Next();
  // Uniform in [0, bound); bound >= 1. Unbiased (Lemire 2018, multiply-shift with rejection).
  uint64_t Below(uint64_t bound);
  // Uniform in [0, 1), 53 bits.
  double Uniform();
  // Approximately standard normal: see NormalFromBits.
  double Normal();

 private:
  uint64_t state_[4];
};

}  // namespace hone
