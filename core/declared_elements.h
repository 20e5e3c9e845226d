// The C++ types of elements of fewer bits than a byte, and of floats of a byte (core/declared_types.h).
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/byte_floats.h"

namespace hone {

// The low bits of a byte. Conversion from an integer wraps.
template <int kBits, bool kSigned>
class BitInteger {
 public:
  static constexpr int64_t kLeast = kSigned ? -(int64_t{1} << (kBits - 1)) : 0;
  static constexpr int64_t kMost = kLeast + (int64_t{1} << kBits) - 1;

  BitInteger() = default;
  explicit BitInteger(int64_t value) : bits_(static_cast<uint8_t>(value & kMask)) {}
  // Bits above the low ones do not count.
  operator int64_t() const {  // NOLINT(google-explicit-constructor): it stands for its number
    const int64_t low = bits_ & kMask;
    return low > kMost ? low - (int64_t{1} << kBits) : low;
  }

 private:
  static constexpr int64_t kMask = (int64_t{1} << kBits) - 1;
  uint8_t bits_ = 0;
};

template <DType kDType>
class ByteFloat {
 public:
  ByteFloat() = default;
  explicit ByteFloat(float value) : bits_(ByteFloatBits(*FindByteFloat(kDType), value)) {}
  explicit operator float() const { return ByteFloatValue(*FindByteFloat(kDType), bits_); }

 private:
  uint8_t bits_ = 0;
};

template <typename T>
inline constexpr bool kIsBitInteger = false;
template <int kBits, bool kSigned>
inline constexpr bool kIsBitInteger<BitInteger<kBits, kSigned>> = true;
template <typename T>
inline constexpr bool kIsByteFloat = false;
template <DType kDType>
inline constexpr bool kIsByteFloat<ByteFloat<kDType>> = true;

}  // namespace hone
