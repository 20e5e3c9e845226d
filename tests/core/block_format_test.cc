#include "core/block_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace hone {
namespace {

TEST(BlockFormat, TextReadsBack) {
  for (const char* text : {"int4x32", "int8x4", "int2x16,zeros", "int4x576,zeros"}) {
    EXPECT_EQ(BlockFormat::Parse(text).ToText(), text);
  }
  EXPECT_EQ(BlockFormat::Parse("int8x64,zeros"), (BlockFormat{8, 64, true}));
}

TEST(BlockFormat, RefusesBlocksThatFillNoWords) {
  for (const char* text : {"", "int4", "int4x0", "int4x-8", "int4x12", "int8x6", "int3x32", "int16x32", "uint4x32",
                           "int4x32,zero", "int4x032", "int4x32 ", "int4x4294967296"}) {
    EXPECT_THROW(BlockFormat::Parse(text), Error) << text;
  }
}

TEST(BlockFormat, AWordHoldsTheFirstIntegerInItsLowestBits) {
  const BlockFormat four = BlockFormat::Parse("int4x8");
  int32_t row[2] = {};
  for (int i = 0; i < 9; ++i) four.SetInteger(row, i, i - 8);
  EXPECT_EQ(static_cast<uint32_t>(row[0]), 0xFEDCBA98U);
  EXPECT_EQ(row[1], 0);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(four.IntegerAt(row, i), i - 8);
}

TEST(BlockFormat, EveryIntegerReadsBack) {
  for (const int64_t bits : {2, 4, 8}) {
    const BlockFormat format{bits, 32};
    std::vector<int32_t> row(64);
    const int32_t least = -(1 << (bits - 1)), count = 1 << bits;
    for (int32_t i = 0; i < count; ++i) format.SetInteger(row.data(), i, least + i);
    for (int32_t i = 0; i < count; ++i) EXPECT_EQ(format.IntegerAt(row.data(), i), least + i) << bits;
    EXPECT_EQ(format.Words(64), 64 * bits / 32);
    EXPECT_EQ(format.Words(65), format.Words(64) + 1);
  }
}

}  // namespace
}  // namespace hone
