#include "core/random.h"

namespace hone {
namespace {

constexpr uint64_t RotateLeft(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

struct Product {
  uint64_t high, low;
};

// Multiplies in halves because 32-bit machines have no 128-bit integers.
constexpr Product Multiply(uint64_t a, uint64_t b) {
  constexpr uint64_t kLow = 0xffffffff;
  const uint64_t low = (a & kLow) * (b & kLow);
  const uint64_t left = (a >> 32) * (b & kLow) + (low >> 32);
  const uint64_t right = (a & kLow) * (b >> 32) + (left & kLow);
  return {(a >> 32) * (b >> 32) + (left >> 32) + (right >> 32), a * b};
}
static_assert(Multiply(~uint64_t{0}, ~uint64_t{0}).high == ~uint64_t{0} - 1);
static_assert(Multiply(0x123456789abcdef0, 0xfedcba9876543210).high == 0x121fa00ad77d7422);

}  // namespace

Random::Random(uint64_t seed) {
  for (uint64_t& word : state_) word = MixBits(seed += 0x9e3779b97f4a7c15ULL);
}

uint64_t Random::Next() {
  const uint64_t result = RotateLeft(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = RotateLeft(state_[3], 45);
  return result;
}

uint64_t Random::Below(uint64_t bound) {
  Product product = Multiply(Next(), bound);
  if (product.low < bound) {
    const uint64_t threshold = -bound % bound;
    while (product.low < threshold) product = Multiply(Next(), bound);
  }
  return product.high;
}

double Random::Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

double Random::Normal() { return NormalFromBits(Next()); }

}  // namespace hone
