#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Attrs Pooled(int64_t rows, int64_t columns, int64_t samples, bool aligned = true, const std::string& mode = "avg") {
  return {{"pooled_size", Ints{rows, columns}}, {"sample_ratio", samples}, {"aligned", aligned}, {"mode", mode}};
}

// A linear image: interpolation is exact.
Tensor Slope() {
  Tensor image(DType::kFloat32, {2, 1, 6, 8});
  for (int64_t i = 0; i < image.elements(); ++i)
    image.Set(i, static_cast<double>(i / 48 * 100 + i % 48 / 8 * 10 + i % 8));
  return image;
}

TEST(RoiAlign, SamplesBetweenPixels) {
  const Tensor rois = Floats({2, 4}, {1.5F, 0.5F, 5.5F, 4.5F, 1.5F, 0.5F, 5.5F, 4.5F});
  // Bins of 2 x 2 pixels around (1, 2), (1, 4), (3, 2), (3, 4).
  EXPECT_THAT(RunFor("vision.roi_align", {Slope(), rois, Int64s({2}, {0, 1})}, Pooled(2, 2, 2)),
              Near({12, 14, 32, 34, 112, 114, 132, 134}));
  EXPECT_THAT(RunFor("vision.roi_align", {Slope(), rois, Int64s({2}, {0, 1})}, Pooled(2, 2, 0)),
              Near({12, 14, 32, 34, 112, 114, 132, 134}));
}

TEST(RoiAlign, WithoutAlignmentRegionsHaveAPixelAtLeast) {
  const Tensor roi = Floats({1, 4}, {2, 1, 2, 1});
  EXPECT_THAT(RunFor("vision.roi_align", {Slope(), roi, Int64s({1}, {0})}, Pooled(1, 1, 1, false)), Near({17.5}));
  EXPECT_THAT(RunFor("vision.roi_align", {Slope(), roi, Int64s({1}, {0})}, Pooled(1, 1, 0, true)), ElementsAre(0));
}

TEST(RoiAlign, OutsideIsZero) {
  const Tensor roi = Floats({1, 4}, {-20, -20, -10, -10});
  EXPECT_THAT(RunFor("vision.roi_align", {Slope(), roi, Int64s({1}, {1})}, Pooled(1, 1, 2)), ElementsAre(0));
}

// The largest weighted pixel: for a sample midway between four pixels, a quarter of the largest.
TEST(RoiAlign, MaxTakesWeightedPixels) {
  const Tensor roi = Floats({1, 4}, {2, 1, 4, 3});
  EXPECT_THAT(RunFor("vision.roi_align", {Slope(), roi, Int64s({1}, {0})}, Pooled(1, 1, 1, true, "max")),
              Near({0.25 * 23}));
}

TEST(RoiAlignType, HoldsRegionsToTheirImages) {
  const TypePtr data = TensorType({1, 3, 8, 8}), rois = TensorType({5, 4}), images = TensorType({5}, DType::kInt64);
  EXPECT_EQ(ResultType("vision.roi_align", {data, rois, images}, Pooled(7, 6, 0)), "Tensor[(5, 3, 7, 6), float32]");
  EXPECT_THAT(ResultType("vision.roi_align", {data, rois, TensorType({4}, DType::kInt64)}, Pooled(7, 6, 0)),
              HasSubstr("rois 5x4 with batch_indices 4"));
  EXPECT_THAT(ResultType("vision.roi_align", {data, rois, images}, Pooled(7, 6, 0, true, "sum")),
              HasSubstr("it must be avg or max"));
  EXPECT_THAT(ResultType("vision.roi_align", {data, rois, images}, Pooled(0, 6, 0)), HasSubstr("pooled_size"));
}

TEST(RoiAlign, AnImageThatIsNotThereIsRefused) {
  EXPECT_THROW(RunOp("vision.roi_align", {Slope(), Floats({1, 4}, {0, 0, 1, 1}), Int64s({1}, {2})}, Pooled(1, 1, 1)),
               Error);
}

}  // namespace
}  // namespace hone::relay
