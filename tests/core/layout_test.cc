#include "core/layout.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace hone {
namespace {

Tensor Counting(DType dtype, const Shape& shape) {
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, static_cast<double>(i % 100 + 1));
  return tensor;
}

TEST(Layout, TextRoundTrips) {
  for (const char* text :
       {"", "NCHW", "NCHW16c", "OIHW8i16o", "O16o", "NHWC", "HWIO", "NCHW1c", "NCDHW4c", "OI2i8o", "OIHW4i16o4i"}) {
    EXPECT_EQ(Layout::Parse(text).ToText(), text);
  }
}

TEST(Layout, RefusesWhatIsNoLayout) {
  for (const char* text : {"NCHW0c", "16c", "16cNCHW", "NCHW16x", "NCHWc", "NCHW16", "NCHW-1c", "NCHW016c",
                           "NCHW65537c", "NCHW99999999999999999999c", "NCCHW", "nchw", "NCHW 16c", "NCHW16C", "N*"}) {
    EXPECT_THROW(Layout::Parse(text), Error) << text;
  }
}

TEST(Layout, KnowsItsAxes) {
  const Layout layout = Layout::Parse("OIHW8i16o");
  EXPECT_EQ(layout.LogicalAxes(), "OIHW");
  EXPECT_EQ(layout.BlockOf('O'), 16);
  EXPECT_EQ(layout.BlockOf('H'), 0);
  EXPECT_TRUE(layout.blocked());
  EXPECT_FALSE(Layout::Parse("NHWC").blocked());
  EXPECT_TRUE(Layout().empty());
}

TEST(Layout, ShapesRoundBlocksUp) {
  EXPECT_EQ(Layout::Parse("NCHW16c").PhysicalShape({1, 17, 5, 6}), (Shape{1, 2, 5, 6, 16}));
  EXPECT_EQ(Layout::Parse("NHWC").PhysicalShape({1, 17, 5, 6}, "NCHW"), (Shape{1, 5, 6, 17}));
  EXPECT_EQ(Layout::Parse("OIHW8i16o").PhysicalShape({20, 3, 3, 3}), (Shape{2, 1, 3, 3, 8, 16}));
}

TEST(Layout, RefusesShapesThatDoNotFit) {
  EXPECT_THROW(Layout::Parse("NCHW16c").PhysicalShape({1, 17, 5}), Error);
  EXPECT_THROW(Layout::Parse("NCHW").PhysicalShape({1, 17, 5, 6}, "NCDW"), Error);
  EXPECT_THROW(Layout::Parse("NC").PhysicalShape({int64_t{1} << 62, 4}), Error);
  EXPECT_THROW(Layout::Parse("NC65536c").PhysicalShape({int64_t{1} << 47, 1}), Error);
}

TEST(Layout, MayBlockALetterTwice) {
  const Layout layout = Layout::Parse("OI4i2o4i");
  EXPECT_EQ(layout.BlockOf('I'), 16);
  EXPECT_EQ(layout.PhysicalShape({3, 17}), (Shape{2, 2, 4, 2, 4}));
  EXPECT_THROW(Layout::Parse("OI4096i2o32i"), Error) << "more lie together than a block may hold";
}

TEST(Pack, PutsALetterBlockedTwiceWhereTheLayoutSays) {
  const Tensor logical = Counting(DType::kInt8, {3, 19});
  const Tensor packed = Pack(logical, Layout::Parse("OI4i2o4i"));
  for (int64_t o = 0; o < 4; ++o) {
    for (int64_t i = 0; i < 32; ++i) {
      const int64_t at = ((((o / 2) * 2 + i / 16) * 4 + i % 16 / 4) * 2 + o % 2) * 4 + i % 4;
      EXPECT_EQ(packed.At(at), o < 3 && i < 19 ? logical.At(o * 19 + i) : 0) << o << " " << i;
    }
  }
  const Tensor back = Unpack(packed, Layout::Parse("OI4i2o4i"), {3, 19});
  for (int64_t i = 0; i < logical.elements(); ++i) EXPECT_EQ(back.At(i), logical.At(i));
}

TEST(Pack, PutsElementsWhereTheLayoutSays) {
  const Tensor logical = Counting(DType::kFloat32, {2, 5, 2, 3});
  const Tensor packed = Pack(logical, Layout::Parse("NCHW4c"));
  ASSERT_EQ(packed.shape(), (Shape{2, 2, 2, 3, 4}));
  for (int64_t n = 0, at = 0; n < 2; ++n) {
    for (int64_t co = 0; co < 2; ++co) {
      for (int64_t hw = 0; hw < 6; ++hw) {
        for (int64_t ci = 0; ci < 4; ++ci, ++at) {
          const int64_t c = co * 4 + ci;
          EXPECT_EQ(packed.At(at), c < 5 ? logical.At((n * 5 + c) * 6 + hw) : 0);
        }
      }
    }
  }
}

TEST(Pack, TransposesToo) {
  const Tensor packed =
      Pack(Tensor::FromVector<float>(DType::kFloat32, {2, 3}, {1, 2, 3, 4, 5, 6}), Layout::Parse("AB"));
  EXPECT_EQ(packed.At(1), 2);
  const Tensor weights = Tensor::FromVector<float>(DType::kFloat32, {3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor blocked = Pack(weights, Layout::Parse("OI2o"));
  const double expected[] = {1, 3, 2, 4, 5, 0, 6, 0};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(blocked.At(i), expected[i]) << i;
}

TEST(Pack, OfABlockedAxisThatIsNotLastKeepsTheRest) {
  // The outer part of a blocked axis is the last in memory here: the hard case of the row walk.
  const Tensor logical = Counting(DType::kInt32, {5, 3});
  const Tensor packed = Pack(logical, Layout::Parse("IO2o"));
  EXPECT_EQ(packed.shape(), (Shape{5, 2, 2}));
  EXPECT_EQ(Unpack(packed, Layout::Parse("IO2o"), {5, 3}).At(14), logical.At(14));
}

class RoundTrip : public testing::TestWithParam<std::pair<const char*, Shape>> {};

TEST_P(RoundTrip, UnpackIsTheReverseOfPack) {
  const auto& [text, shape] = GetParam();
  for (DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt8}) {
    const Tensor logical = Counting(dtype, shape);
    const Tensor packed = Pack(logical, Layout::Parse(text));
    const Tensor back = Unpack(packed, Layout::Parse(text), shape);
    double inside = 0, all = 0;
    for (int64_t i = 0; i < logical.elements(); ++i) {
      ASSERT_EQ(back.At(i), logical.At(i)) << i;
      inside += logical.At(i);
    }
    for (int64_t i = 0; i < packed.elements(); ++i) all += packed.At(i);
    EXPECT_EQ(all, inside) << "lanes past an axis are zero";
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, RoundTrip,
                         testing::Values(std::pair{"NCHW16c", Shape{2, 17, 3, 5}},
                                         std::pair{"NCHW8c", Shape{1, 1, 1, 1}}, std::pair{"NCHW", Shape{2, 3, 4, 5}},
                                         std::pair{"OIHW8i16o", Shape{33, 9, 3, 3}}, std::pair{"O16o", Shape{17}},
                                         std::pair{"OI3i5o", Shape{7, 7}}, std::pair{"O4oI", Shape{6, 5}},
                                         std::pair{"OI4oH", Shape{6, 5, 3}}, std::pair{"AB4b3a", Shape{7, 9}},
                                         std::pair{"", Shape{}}, std::pair{"NCHW16c", Shape{0, 17, 3, 5}}));

TEST(Unpack, RefusesAShapeThatIsNotTheTensors) {
  const Tensor packed = Pack(Counting(DType::kFloat32, {1, 17, 2, 2}), Layout::Parse("NCHW16c"));
  EXPECT_THROW(Unpack(packed, Layout::Parse("NCHW16c"), {1, 33, 2, 2}), Error);
}

TEST(Pack, TransformsWinogradWeights) {
  Tensor weights(DType::kFloat32, {1, 1, 3, 3});
  for (int64_t i = 0; i < 9; ++i) weights.Set(i, 1);
  const Layout layout = Layout::Parse("HWOI4i4o@winograd2");
  EXPECT_EQ(layout.ToText(), "HWOI4i4o@winograd2");
  EXPECT_EQ(layout.LogicalAxes(), "OIHW");
  const Tensor packed = Pack(weights, layout);
  ASSERT_EQ(packed.shape(), (Shape{4, 4, 1, 1, 4, 4}));
  // G applied to a column of ones is (1, 1.5, 0.5, 1).
  const double g[] = {1, 1.5, 0.5, 1};
  for (int64_t a = 0; a < 4; ++a) {
    for (int64_t b = 0; b < 4; ++b) EXPECT_FLOAT_EQ(packed.At((a * 4 + b) * 16), static_cast<float>(g[a] * g[b]));
  }
  EXPECT_EQ(packed.At(1), 0) << "lanes past O and I are zero";
}

// The transform times four is integral. It takes 16 bits, because a value may exceed a byte.
TEST(Pack, TransformsWeightsOfBytesWithoutRounding) {
  Tensor weights(DType::kInt8, {1, 2, 3, 3});
  for (int64_t i = 0; i < 9; ++i) weights.Set(i, -128), weights.Set(9 + i, i);
  const Tensor packed = Pack(weights, Layout::Parse("HWOI2i4o2i2w@winograd2"));
  ASSERT_EQ(packed.dtype(), DType::kInt8);
  ASSERT_EQ(packed.shape(), (Shape{4, 4, 1, 1, 2, 4, 2, 2}));
  const auto number = [&](int64_t frequency, int64_t channel) {
    const auto* bytes = packed.data<uint8_t>() + frequency * 32 + channel * 2;
    return static_cast<int16_t>(bytes[0] | bytes[1] << 8);
  };
  const int g[] = {2, 3, 1, 2};
  for (int64_t a = 0; a < 4; ++a) {
    for (int64_t b = 0; b < 4; ++b) EXPECT_EQ(number(a * 4 + b, 0), -128 * g[a] * g[b]);
  }
  // The kernel is 0 to 8: four times its corners, the sum of all, and the sum with the middle row and column
  // subtracted.
  EXPECT_EQ(number(0, 1), 0);
  EXPECT_EQ(number(3, 1), 8);
  EXPECT_EQ(number(5, 1), 36);
  EXPECT_EQ(number(10, 1), 4);
  EXPECT_EQ(number(15, 1), 32);
}

// 900 times the transform of the points 0, 2, 1, -1, -1/2 and infinity. Rows of 30 G times all ones are 15, 7, 15, 5, 3
// and 15.
TEST(Pack, TransformsWeightsOfBytesForTilesOfFour) {
  Tensor weights(DType::kInt8, {1, 2, 3, 3});
  for (int64_t i = 0; i < 9; ++i) weights.Set(i, -128), weights.Set(9 + i, i == 5 ? 127 : 0);
  const Tensor packed = Pack(weights, Layout::Parse("HWOI1i2o2i2w@winograd4"));
  ASSERT_EQ(packed.shape(), (Shape{6, 6, 1, 1, 1, 2, 2, 2}));
  const auto number = [&](int64_t frequency, int64_t channel) {
    const auto* bytes = packed.data<uint8_t>() + frequency * 8 + channel * 2;
    return static_cast<int16_t>(bytes[0] | bytes[1] << 8);
  };
  const int ones[] = {15, 7, 15, 5, 3, 15}, middle[] = {0, 2, 5, -5, -2, 0}, last[] = {0, 4, 5, 5, 1, 15};
  for (int64_t a = 0; a < 6; ++a) {
    for (int64_t b = 0; b < 6; ++b) {
      EXPECT_EQ(number(a * 6 + b, 0), -128 * ones[a] * ones[b]);
      EXPECT_EQ(number(a * 6 + b, 1), 127 * middle[a] * last[b]) << a << ", " << b;
    }
  }
}

TEST(Layout, RefusesTransformsThatDoNotExist) {
  for (const char* text : {"HWOI@winograd3", "HWOI@", "NCHW@winograd2", "HWOI4i@winograd2x"}) {
    EXPECT_THROW(Layout::Parse(text), Error) << text;
  }
  EXPECT_THROW(Pack(Tensor(DType::kFloat32, {1, 1, 5, 5}), Layout::Parse("HWOI@winograd2")), Error);
}

}  // namespace
}  // namespace hone
