#include "tuner/search/least_work.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

int64_t Of(const char* text) { return LeastMultiplyAdds(Workload::Parse(text)); }

TEST(LeastWork, IsAllOfAProduct) {
  EXPECT_EQ(Of("nn.dense data=3x64 weight=10x64 dtype=float32 epilogue=none"), 3 * 64 * 10);
  EXPECT_EQ(Of("nn.batch_matmul data=2x3x4 weight=2x5x4 layouts=BMK,BNK,BMN dtype=float32"), 2 * 3 * 4 * 5);
  EXPECT_EQ(Of("nn.conv2d data=1x8x6x6 weight=16x8x1x1 dtype=float32"), 8 * 6 * 6 * 16);
}

// Winograd's F(4x4, 3x3) takes 36 multiplications for 16 outputs, 2.25 each.
TEST(LeastWork, OfAWindowIsLessThanWinogradTakes) {
  EXPECT_EQ(Of("nn.conv2d data=1x8x8x8 weight=16x8x3x3 padding=1x1x1x1 dtype=float32"), 8 * 8 * 8 * 16);
  EXPECT_EQ(Of("nn.conv2d data=1x8x8x8 weight=8x1x3x3 padding=1x1x1x1 groups=8 dtype=float32"), 8 * 8 * 8);
}

// Outputs that see only padding need no product.
TEST(LeastWork, OfPaddingIsNothing) {
  EXPECT_EQ(Of("nn.conv2d data=1x2x4x4 weight=3x2x1x1 padding=1x1x1x1 dtype=float32"), 2 * 4 * 4 * 3);
  EXPECT_EQ(Of("nn.conv2d data=1x2x4x4 weight=3x2x3x3 padding=4x4x4x4 dtype=float32"), 2 * 6 * 6 * 3);
  EXPECT_EQ(Of("nn.conv2d data=1x1x1x1 weight=1x1x2x2 padding=2x2x2x2 strides=1x1 dilation=2x2 dtype=float32"), 4);
}

}  // namespace
}  // namespace hone
