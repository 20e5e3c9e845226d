// Rows of weights stored as integers of a few bits, with a scale for each block of neighbours along a row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

// A weight is (integer - zero point) * scale. Integers are signed, in two's complement, and packed into words of
// int32, the first in the lowest bits. Each block has one scale (float32) and, with `zeros`, one zero point (int8);
// without them the zero point is 0. A row of 44 weights as int4x32:
//
//   words    | k0 .. k7 | k8 .. k15 | k16 .. k23 | k24 .. k31 | k32 .. k39 | k40 .. k43, rest 0 |
//   scales   | block 0                                        | block 1, partial                |
struct BlockFormat {
  int64_t bits = 4;    // 2, 4 or 8
  int64_t block = 32;  // neighbours that share a scale: a positive multiple of per_word()
  bool zeros = false;

  int64_t per_word() const { return 32 / bits; }
  // `columns` may be any number that is not negative.
  int64_t Words(int64_t columns) const { return columns / per_word() + (columns % per_word() != 0 ? 1 : 0); }
  int64_t Blocks(int64_t columns) const { return columns / block + (columns % block != 0 ? 1 : 0); }
  // Integer number `column` of a row.
  int32_t IntegerAt(const int32_t* row, int64_t column) const;
  // Sets it in a row whose integers from `column` on are 0; bits above the format's are dropped.
  void SetInteger(int32_t* row, int64_t column, int32_t value) const;

  // "int4x32", with zero points "int4x32,zeros".
  std::string ToText() const;
  // Throws Error(kBadData) naming the text.
  static BlockFormat Parse(std::string_view text);
  bool operator==(const BlockFormat&) const = default;
};

}  // namespace hone
