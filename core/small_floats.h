// 16-bit floats. They are only stored and converted; arithmetic is float32.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace hone {

// The upper half of a float32: its range with 8 bits of precision. Rounds to nearest, ties to even; NaN stays NaN.
class BFloat16 {
 public:
  BFloat16() = default;
  explicit BFloat16(float value) : bits_(Rounded(std::bit_cast<uint32_t>(value))) {}
  static BFloat16 FromBits(uint16_t bits) {
    BFloat16 value;
    value.bits_ = bits;
    return value;
  }
  explicit operator float() const { return std::bit_cast<float>(uint32_t{bits_} << 16); }
  uint16_t bits() const { return bits_; }

 private:
  static uint16_t Rounded(uint32_t bits) {
    constexpr uint32_t kInfinity = 0x7f800000, kQuiet = 0x400000;
    if ((bits & 0x7fffffff) > kInfinity) return static_cast<uint16_t>((bits | kQuiet) >> 16);
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }

  uint16_t bits_ = 0;
};

// IEEE 754 binary16: 11 bits of precision, up to 65504. Rounds to nearest, ties to even; larger values become
// infinite.
class Float16 {
 public:
  Float16() = default;
  explicit Float16(float value) : bits_(Rounded(value)) {}
  static Float16 FromBits(uint16_t bits) {
    Float16 value;
    value.bits_ = bits;
    return value;
  }
  explicit operator float() const {
    const int exponent = bits_ >> 10 & 31, fraction = bits_ & 1023;
    const float sign = (bits_ >> 15) != 0 ? -1.0F : 1.0F;
    if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
    if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
    return sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  }
  uint16_t bits() const { return bits_; }

 private:
  static uint16_t Rounded(float value) {
    const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
    if (std::isnan(value)) return sign | 0x7e00;
    const float magnitude = std::fabs(value);
    // 65520 is half way from 65504 to the value that would come next.
    if (magnitude >= 65520) return sign | 0x7c00;
    // Rounds to integer multiples of the last place, which is 2^-24 below the least normal number.
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    const int place = magnitude < 0x1p-14F ? -24 : exponent - 11;
    const auto places = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -place)));
    // A fraction that is rounded up to the next power of two carries into the exponent by itself.
    return static_cast<uint16_t>(sign + (place + 24) * 1024 + places);
  }

  uint16_t bits_ = 0;
};

}  // namespace hone
