// Floats of at most 8 bits, as ONNX and ml_dtypes define them. They are only stored and converted.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/tensor.h"

namespace hone {

// The fraction is in the lowest bits, the exponent above it, and the sign above that unless `is_signed` is false. An
// exponent of 0 has denormal numbers.
struct ByteFloatFormat {
  // The greatest codes: infinity and NaNs; one NaN; numbers, with NaN in the place of minus zero; or only numbers.
  enum class Ends : uint8_t { kInfinity, kNan, kNanForMinusZero, kNumbers };

  DType dtype;
  int exponent_bits, fraction_bits, bias;
  Ends ends;
  bool is_signed = true;

  constexpr uint32_t sign_bit() const { return is_signed ? uint32_t{1} << (exponent_bits + fraction_bits) : 0; }
  // The codes without the sign: of the largest number, of NaN, and of a number beyond the largest.
  constexpr uint32_t largest() const {
    const uint32_t last = (uint32_t{1} << (exponent_bits + fraction_bits)) - 1;
    if (ends == Ends::kInfinity) return last - (uint32_t{1} << fraction_bits);
    return ends == Ends::kNan ? last - 1 : last;
  }
  uint32_t nan() const;
  uint32_t beyond() const;
};

// Null for any other type.
const ByteFloatFormat* FindByteFloat(DType dtype);

// The rule for a number between two of the format. To nearest, ties are to even; without fraction bits they are up. Up
// and down change the magnitude.
enum class ByteRounding : uint8_t { kNearest, kUp, kDown };
struct ByteConversion {
  bool saturates = false;                          // whether a number beyond the largest becomes the largest
  ByteRounding rounding = ByteRounding::kNearest;  // others than kNearest: only formats without fraction bits
};

// "nearest", "up" or "down". Throws Error(kBadData) naming any other text.
ByteRounding ParseByteRounding(std::string_view name);

float ByteFloatValue(const ByteFloatFormat& format, uint8_t bits);
// A number beyond the largest becomes infinite, or NaN in a format without infinities, or the largest if it has no NaN
// either. An unsigned format takes the magnitude, and infinity for NaN.
uint8_t ByteFloatBits(const ByteFloatFormat& format, float value, const ByteConversion& by = {});

}  // namespace hone
