#include "core/byte_floats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/declared_types.h"
#include "core/error.h"

namespace hone {
namespace {

using Ends = ByteFloatFormat::Ends;

constexpr std::array<ByteFloatFormat, 6> kFormats = {{{declared::kFloat8E4M3FN, 4, 3, 7, Ends::kNan},
                                                      {declared::kFloat8E4M3FNUZ, 4, 3, 8, Ends::kNanForMinusZero},
                                                      {declared::kFloat8E5M2, 5, 2, 15, Ends::kInfinity},
                                                      {declared::kFloat8E5M2FNUZ, 5, 2, 16, Ends::kNanForMinusZero},
                                                      {declared::kFloat8E8M0FNU, 8, 0, 127, Ends::kNan, false},
                                                      {declared::kFloat4E2M1FN, 2, 1, 1, Ends::kNumbers}}};

constexpr uint32_t kInfiniteBits = 0x7f800000;

// The code of a magnitude in a format that only has powers of two. These are the exponents of float32.
uint32_t PowerOfTwo(uint32_t magnitude, const ByteConversion& by) {
  if (magnitude >= kInfiniteBits) return 255;
  uint32_t raised = magnitude;
  if (by.rounding == ByteRounding::kUp) raised += 0x7fffff;
  // Half of the least power is a tie, which goes down to it.
  if (by.rounding == ByteRounding::kNearest) raised += magnitude < 0x800000 ? 0x3fffff : 0x400000;
  return by.saturates ? std::min(raised >> 23, 254U) : raised >> 23;
}

// The code of the nearest number; beyond the format's codes if the magnitude is.
uint32_t NearestCode(const ByteFloatFormat& format, uint32_t magnitude) {
  const int dropped = 23 - format.fraction_bits;
  const auto least_normal = static_cast<uint32_t>(128 - format.bias) << 23;
  if (magnitude < least_normal) {
    const int place = 1 - format.bias - format.fraction_bits;
    return static_cast<uint32_t>(std::nearbyint(std::ldexp(std::bit_cast<float>(magnitude), -place)));
  }
  const uint32_t odd = magnitude >> dropped & 1;
  const uint32_t rounded = magnitude + odd + (uint32_t{1} << (dropped - 1)) - 1;
  return (rounded - (static_cast<uint32_t>(127 - format.bias) << 23)) >> dropped;
}

}  // namespace

uint32_t ByteFloatFormat::nan() const {
  if (ends == Ends::kInfinity) return largest() + 1 + (uint32_t{1} << (fraction_bits - 1));
  return ends == Ends::kNan ? largest() + 1 : sign_bit();
}

uint32_t ByteFloatFormat::beyond() const {
  if (ends == Ends::kInfinity) return largest() + 1;
  return ends == Ends::kNumbers ? largest() : nan();
}

const ByteFloatFormat* FindByteFloat(DType dtype) {
  const auto* format = std::ranges::find(kFormats, dtype, &ByteFloatFormat::dtype);
  return format == kFormats.end() ? nullptr : format;
}

ByteRounding ParseByteRounding(std::string_view name) {
  constexpr std::array<std::string_view, 3> kNames = {"nearest", "up", "down"};
  const auto* at = std::ranges::find(kNames, name);
  if (at != kNames.end()) return static_cast<ByteRounding>(at - kNames.begin());
  throw Error(ExitCode::kBadData, fmt::format("rounding is \"{}\"; it is one of {}", name, fmt::join(kNames, ", ")));
}

float ByteFloatValue(const ByteFloatFormat& format, uint8_t bits) {
  const float sign = (bits & format.sign_bit()) != 0 ? -1.0F : 1.0F;
  const uint32_t codes = (uint32_t{1} << (format.exponent_bits + format.fraction_bits)) - 1, code = bits & codes;
  const bool is_minus_zero = code == 0 && sign < 0;
  if (format.ends == Ends::kNanForMinusZero && is_minus_zero) return NAN;
  if (code > format.largest()) return format.ends == Ends::kInfinity && code == format.beyond() ? sign * INFINITY : NAN;
  const uint32_t fraction = code & ((uint32_t{1} << format.fraction_bits) - 1), exponent = code >> format.fraction_bits;
  const int place = std::max(static_cast<int>(exponent), format.is_signed ? 1 : 0) - format.bias - format.fraction_bits;
  const uint32_t leading = exponent > 0 || !format.is_signed ? uint32_t{1} << format.fraction_bits : 0;
  return sign * std::ldexp(static_cast<float>(leading + fraction), place);
}

uint8_t ByteFloatBits(const ByteFloatFormat& format, float value, const ByteConversion& by) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7fffffff, sign = (bits >> 31) != 0 ? format.sign_bit() : 0;
  if (!format.is_signed) return static_cast<uint8_t>(PowerOfTwo(magnitude, by));
  // NaN replaces minus zero where it has that code, and is minus zero of the other sign where there is none.
  if (magnitude > kInfiniteBits) {
    const bool has_sign = format.ends == Ends::kInfinity || format.ends == Ends::kNan;
    return static_cast<uint8_t>(has_sign ? sign | format.nan()
                                         : (format.ends == Ends::kNumbers ? sign ^ format.nan() : format.nan()));
  }
  uint32_t code = NearestCode(format, magnitude);
  if (code > format.largest()) code = by.saturates ? format.largest() : format.beyond();
  if (format.ends == Ends::kNanForMinusZero && code == 0) return 0;
  return static_cast<uint8_t>(code | sign);
}

}  // namespace hone
