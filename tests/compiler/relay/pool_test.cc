// The expected numbers are from ONNX Runtime for the same inputs.
#include <cmath>
#include <limits>

#include "compiler/ops/conv/op_layout.h"
#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Attrs Window(int64_t size, int64_t stride, Ints padding, bool ceil_mode = false) {
  return {{"pool_size", Ints{size, size}},
          {"strides", Ints{stride, stride}},
          {"padding", padding},
          {"ceil_mode", ceil_mode}};
}

TEST(MaxPool, CeilModeReachesPastThePadding) {
  EXPECT_THAT(RunFor("nn.max_pool2d", {Saw({1, 1, 5, 5}, 7, 3)}, Window(3, 2, {1, 1, 0, 0}, true)),
              ElementsAre(3, 3, 1, 3, 3, 3, 3, 1, 2));
}

TEST(MaxPool, CeilModeDropsWindowsThatBeginInTheRightPadding) {
  EXPECT_THAT(RunFor("nn.max_pool2d", {Saw({1, 1, 4, 4}, 7, 3)}, Window(2, 3, {1, 1, 1, 1}, true)),
              ElementsAre(-3, 0, 2, 1));
}

TEST(MaxPool, Dilation) {
  Attrs attrs = Window(2, 1, {1, 1, 0, 0});
  attrs.Set("dilation", Ints{2, 2});
  EXPECT_THAT(RunFor("nn.max_pool2d", {Saw({1, 1, 5, 5}, 7, 3)}, attrs),
              ElementsAre(3, 2, 3, -1, 1, 2, 3, 2, 3, 2, 3, 2, 1, 3, 3, 2));
}

TEST(MaxPool, NanWinsAndPaddingNeverDoes) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto pooled = RunFor("nn.max_pool2d", {Floats({1, 1, 1, 3}, {-5, nan, 9})}, Window(1, 1, {0, 0, 0, 0}));
  EXPECT_TRUE(std::isnan(pooled[1]));
  EXPECT_THAT(RunFor("nn.global_max_pool2d", {Floats({1, 2, 1, 2}, {1, 4, nan, 0})}), Near({4, nan}));
  EXPECT_THAT(RunFor("nn.max_pool2d", {Floats({1, 1, 1, 1}, {-5})}, Window(3, 1, {1, 1, 1, 1})), ElementsAre(-5));
}

TEST(MaxPool, OfBytesIsBytesAndZeroIsTheLeast) {
  Tensor bytes(DType::kUInt8, {1, 1, 2, 3});
  for (int64_t i = 0; i < 6; ++i) bytes.Set(i, std::vector<double>{0, 200, 3, 127, 128, 255}[static_cast<size_t>(i)]);
  EXPECT_THAT(RunFor("nn.max_pool2d", {bytes}, Window(2, 1, {1, 1, 0, 0})), ElementsAre(0, 200, 200, 127, 200, 255));
  EXPECT_EQ(RunFor("nn.max_pool2d", {bytes}, Window(2, 1, {2, 2, 0, 0}))[0], 0) << "padding alone";
  const TypePtr type = TensorType({1, 16, 4, 4}, DType::kUInt8);
  EXPECT_EQ(ResultType("nn.max_pool2d", {type}, Window(2, 2, {0, 0, 0, 0})), "Tensor[(1, 16, 2, 2), uint8]");
  EXPECT_THAT(ResultType("nn.avg_pool2d", {type}, Window(2, 2, {0, 0, 0, 0})), HasSubstr("it must be float32"));
}

TEST(AveragePool, PaddingCountsOnlyWhenAsked) {
  Attrs attrs = Window(3, 2, {1, 1, 1, 1});
  EXPECT_THAT(RunFor("nn.avg_pool2d", {Floats({1, 1, 2, 2}, {1, 2, 3, 6})}, attrs), Near({3}));
  attrs.Set("count_include_pad", true);
  EXPECT_THAT(RunFor("nn.avg_pool2d", {Floats({1, 1, 2, 2}, {1, 2, 3, 6})}, attrs), Near({12.0 / 9}));
  EXPECT_THAT(RunFor("nn.avg_pool2d", {Saw({1, 1, 4, 4}, 7, 3)}, attrs), Near({-0.222222, -0.111111, 0.555556, 0}));
}

TEST(AveragePool, WhatCeilModeAddsCountsNowhere) {
  EXPECT_THAT(RunFor("nn.avg_pool2d", {Saw({1, 1, 4, 4}, 7, 3)}, Window(3, 2, {0, 0, 0, 0}, true)),
              Near({-0.333333, 0, -0.166667, -1}));
  Attrs attrs = Window(3, 2, {1, 1, 1, 1}, true);
  attrs.Set("count_include_pad", true);
  EXPECT_THAT(RunFor("nn.avg_pool2d", {Saw({1, 1, 4, 4}, 7, 3)}, attrs),
              Near({-0.222222, -0.111111, -0.5, 0.555556, 0, -0.666667, 0.833333, -0.333333, -0.5}));
}

TEST(GlobalAveragePool, AveragesEachChannel) {
  EXPECT_THAT(RunFor("nn.global_avg_pool2d", {Floats({1, 2, 1, 2}, {1, 4, -3, 0})}), ElementsAre(2.5, -1.5));
}

TEST(Pool, LayoutsAreOrdersOfTheShapesAxes) {
  const Tensor data = Saw({2, 3, 7, 5}, 11, 5), turned = Reordered(data, "NCHW", "NHWC");
  const Attrs global{{"layout", "NHWC"}};
  Attrs window = Window(3, 2, {1, 0, 1, 2});
  for (const std::string op : {"nn.max_pool2d", "nn.avg_pool2d"}) {
    const Tensor want = RunOp(op, {data}, window)[0];
    Attrs last = window;
    last.Set("layout", std::string("NHWC"));
    EXPECT_EQ(Values(RunOp(op, {turned}, last)[0]), Values(Reordered(want, "NCHW", "NHWC"))) << op;
  }
  for (const std::string op : {"nn.global_max_pool2d", "nn.global_avg_pool2d"}) {
    EXPECT_EQ(RunFor(op, {turned}, global), RunFor(op, {data})) << op;
    EXPECT_EQ(ResultType(op, {TensorType({2, 7, 5, 3})}, global), "Tensor[(2, 1, 1, 3), float32]");
  }
}

TEST(PoolType, KeepsTheLayoutAndUnknownDims) {
  const TypePtr data = TensorType({kAnyDim, 64, 112, kAnyDim}, DType::kFloat32, "NCHW16c");
  EXPECT_EQ(ResultType("nn.max_pool2d", {data}, Window(3, 2, {1, 1, 1, 1})),
            "Tensor[(?, 64, 56, ?), float32, NCHW16c]");
  EXPECT_EQ(ResultType("nn.global_avg_pool2d", {data}), "Tensor[(?, 64, 1, 1), float32, NCHW16c]");
}

TEST(PoolType, SaysWhatDoesNotFit) {
  EXPECT_THAT(ResultType("nn.max_pool2d", {TensorType({1, 1, 2, 2})}, Window(3, 1, {0, 0, 0, 0})),
              HasSubstr("a window of 3 does not fit in 2"));
  EXPECT_THAT(ResultType("nn.max_pool2d", {TensorType({1, 1, 2, 2})}), HasSubstr("pool_size = [] must have 2 numbers"));
  const std::string layout = "layout = \"NWHC\" must be one of NCHW, NHWC";
  const TypePtr data = TensorType({1, 1, 2, 2});
  EXPECT_THAT(ResultType("nn.global_avg_pool2d", {data}, {{"layout", "NWHC"}}), HasSubstr(layout));
  EXPECT_THAT(ResultType("nn.avg_pool2d", {data}, {{"pool_size", Ints{1, 1}}, {"layout", "NWHC"}}), HasSubstr(layout));
}

}  // namespace
}  // namespace hone::relay
