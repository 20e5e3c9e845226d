#include "compiler/schedules/matmul/row_tiles.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(CutRow, UnpaddedRowIsInteriorWithATail) {
  const RowShape row{.extent = 14, .input = 14, .taps = 1};
  const auto tiles = CutRow(row, 4);
  ASSERT_EQ(tiles.size(), 2u);
  EXPECT_EQ(tiles[0].count, 3);
  EXPECT_FALSE(tiles[0].border);
  EXPECT_EQ(tiles[1].start, 12);
  EXPECT_EQ(tiles[1].width, 2);
}

TEST(CutRow, TilesThatTouchThePaddingStandAlone) {
  const RowShape row{.extent = 56, .input = 56, .taps = 3, .stride = 1, .pad = 1};
  const auto tiles = CutRow(row, 14);
  ASSERT_EQ(tiles.size(), 3u);
  EXPECT_TRUE(tiles[0].border);
  EXPECT_EQ(tiles[1].count, 2);
  EXPECT_FALSE(tiles[1].border);
  EXPECT_TRUE(tiles[2].border);
}

TEST(CutRow, CoversEveryOutputOnce) {
  for (int64_t extent = 1; extent < 40; ++extent) {
    for (int64_t tile = 1; tile <= extent; ++tile) {
      int64_t next = 0;
      for (const RowTile& t : CutRow({.extent = extent, .input = extent, .taps = 3, .stride = 1, .pad = 1}, tile)) {
        EXPECT_EQ(t.start, next);
        next += t.width * t.count;
      }
      EXPECT_EQ(next, extent);
    }
  }
}

TEST(TapInside, KnowsThePaddingOfAStridedDilatedRow) {
  const RowShape row{.extent = 5, .input = 9, .taps = 3, .stride = 2, .pad = 2, .dilation = 2};
  EXPECT_FALSE(TapInside(row, 0, 0));
  EXPECT_TRUE(TapInside(row, 0, 1));
  EXPECT_TRUE(TapInside(row, 4, 1));
  EXPECT_FALSE(TapInside(row, 4, 2));
}

}  // namespace
}  // namespace hone
