// The counter-based generator Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3;
// SC 2011).
#pragma once

#include <array>
#include <cstdint>

namespace hone {

// The multipliers of words 0 and 2 of a counter, and what each round adds to the two words of the key.
inline constexpr std::array<uint32_t, 2> kPhiloxMultipliers{0xD2511F53, 0xCD9E8D57};
inline constexpr std::array<uint32_t, 2> kPhiloxKeySteps{0x9E3779B9, 0xBB67AE85};
inline constexpr int kPhiloxRounds = 10;
// A word's upper 24 bits times this are a float32 in [0, 1).
inline constexpr float kPhiloxUnit = 1.0F / (1 << 24);

// Four random words for a counter and a key.
inline std::array<uint32_t, 4> Philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const uint64_t a = uint64_t{kPhiloxMultipliers[0]} * counter[0], b = uint64_t{kPhiloxMultipliers[1]} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    for (size_t i = 0; i < key.size(); ++i) key[i] += kPhiloxKeySteps[i];
  }
  return counter;
}

}  // namespace hone
