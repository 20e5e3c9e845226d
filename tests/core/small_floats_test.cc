#include "core/small_floats.h"

#include <gtest/gtest.h>

#include <limits>

namespace hone {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Float16, EveryValueComesBack) {
  for (int bits = 0; bits < 1 << 16; ++bits) {
    const Float16 value = Float16::FromBits(static_cast<uint16_t>(bits));
    const auto real = static_cast<float>(value);
    if (std::isnan(real)) {
      EXPECT_EQ(Float16(real).bits() & 0x7e00, 0x7e00);
    } else {
      EXPECT_EQ(Float16(real).bits(), bits);
    }
  }
}

TEST(Float16, IsIeeesBinary16) {
  EXPECT_EQ(static_cast<float>(Float16::FromBits(0x3c00)), 1.0F);
  EXPECT_EQ(static_cast<float>(Float16::FromBits(0xc000)), -2.0F);
  EXPECT_EQ(static_cast<float>(Float16::FromBits(0x7bff)), 65504.0F);
  EXPECT_EQ(static_cast<float>(Float16::FromBits(0x0001)), 0x1p-24F);
  EXPECT_EQ(static_cast<float>(Float16::FromBits(0xfc00)), -kInfinity);
}

TEST(Float16, RoundsToNearestHalvesToEven) {
  EXPECT_EQ(Float16(1 + 0x1p-11F).bits(), 0x3c00);
  EXPECT_EQ(Float16(1 + 3 * 0x1p-11F).bits(), 0x3c02);
  EXPECT_EQ(Float16(2 - 0x1p-12F).bits(), 0x4000) << "the carry reaches the exponent";
  EXPECT_EQ(Float16(0x1p-25F).bits(), 0);
  EXPECT_EQ(Float16(0x1.8p-25F).bits(), 1);
  EXPECT_EQ(Float16(65519.0F).bits(), 0x7bff);
  EXPECT_EQ(Float16(65520.0F).bits(), 0x7c00);
  EXPECT_EQ(Float16(-0.0F).bits(), 0x8000);
}

TEST(BFloat16, EveryValueComesBack) {
  for (int bits = 0; bits < 1 << 16; ++bits) {
    const auto real = static_cast<float>(BFloat16::FromBits(static_cast<uint16_t>(bits)));
    if (std::isnan(real)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(real))));
    } else {
      EXPECT_EQ(BFloat16(real).bits(), bits);
    }
  }
}

TEST(BFloat16, RoundsToNearestHalvesToEven) {
  EXPECT_EQ(BFloat16(1 + 0x1p-8F).bits(), 0x3f80);
  EXPECT_EQ(BFloat16(1 + 3 * 0x1p-8F).bits(), 0x3f82);
  EXPECT_EQ(BFloat16(1 + 0x1.1p-8F).bits(), 0x3f81);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits(), 0x7f80) << "the nearest is infinity";
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::bit_cast<float>(0x7f800001U)))));
}

}  // namespace
}  // namespace hone
