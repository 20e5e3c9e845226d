#include "compiler/passes/split_transposed_conv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/keep_float32.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/visitor.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using Ints = std::vector<int64_t>;

struct Case {
  Ints kernel{4, 4};
  Ints strides{2, 2};
  Ints padding{1, 1, 1, 1};
  Ints extra{0, 0};
  int64_t groups = 1;
};

IRModule Split(const Case& c, int lanes) {
  const ExprPtr weight = RandomConstant({4, 6 / c.groups, c.kernel[0], c.kernel[1]}, 1);
  const IRModule module = ModuleOf(MakeCall("nn.conv2d_transpose", {Input("x", {2, 4, 3, 5}), weight},
                                            {{"strides", c.strides},
                                             {"padding", c.padding},
                                             {"output_padding", c.extra},
                                             {"groups", c.groups},
                                             {"channels", int64_t{6}},
                                             {"kernel_size", c.kernel}}));
  const IRModule after = relay::InferType(SplitTransposedConvs(module, lanes));
  ExpectSameMeaning(module, after);
  return after;
}

// How many transposed convolutions are left; the meaning stays.
int Left(const Case& c) { return CountOf(Split(c, 4), "nn.conv2d_transpose"); }

TEST(SplitTransposedConvs, BecomeConvolutions) {
  EXPECT_EQ(Left({}), 0);
  EXPECT_EQ(Left({.kernel = {3, 2}, .padding = {1, 0, 1, 0}, .extra = {1, 0}}), 0);
  EXPECT_EQ(Left({.kernel = {5, 5}, .padding = {2, 2, 2, 2}, .extra = {1, 1}}), 0);
  EXPECT_EQ(Left({.kernel = {3, 3}, .strides = {1, 3}, .padding = {1, 0, 1, 0}}), 0);
  EXPECT_EQ(Left({.kernel = {2, 2}, .padding = {0, 0, 0, 0}}), 0);
}

TEST(SplitTransposedConvs, FewOutputsShareVectors) {
  const auto convs = [](const Case& c, int lanes) { return CountOf(Split(c, lanes), "nn.conv2d"); };
  EXPECT_EQ(convs({}, 4), 4)
      << "6 outputs in two vectors of 4: 2 x 2 taps four times are 32 vectors, 3 x 3 once are 54";
  EXPECT_EQ(convs({}, 32), 1) << "24 outputs of 3 x 3 taps in one vector";
  EXPECT_EQ(convs({.kernel = {3, 3}, .strides = {1, 3}, .padding = {1, 0, 1, 0}}, 32), 1);
  EXPECT_EQ(convs({.kernel = {5, 5}, .padding = {2, 2, 2, 2}, .extra = {1, 1}}, 32), 1);
}

TEST(SplitTransposedConvs, WhatKeepsFloat32StillDoes) {
  const ExprPtr weight = RandomConstant({4, 6, 4, 4}, 1);
  const IRModule module = ModuleOf(MakeCall(
      "nn.conv2d_transpose", {Input("x", {2, 4, 3, 5}), weight},
      {{"strides", Ints{2, 2}}, {"padding", Ints{1, 1, 1, 1}}, {"channels", int64_t{6}}, {"kernel_size", Ints{4, 4}}},
      "up"));
  const auto marked = [](const IRModule& split) {
    int count = 0;
    relay::PostOrderVisit(split.main->body, [&](const ExprPtr& expr) {
      const relay::Call* conv = relay::AsCallTo(expr, "nn.conv2d");
      count += conv != nullptr && conv->attrs.GetBool("keep_float32") ? 1 : 0;
    });
    return count;
  };
  EXPECT_EQ(marked(SplitTransposedConvs(module, 4)), 0);
  EXPECT_EQ(marked(SplitTransposedConvs(KeepFloat32(module, {"up"}), 4)), 4);
}

TEST(SplitTransposedConvs, OthersStay) {
  EXPECT_EQ(Left({.groups = 2}), 1);
  EXPECT_EQ(Left({.kernel = {1, 1}, .padding = {0, 0, 0, 0}, .extra = {1, 1}}), 1);
  EXPECT_EQ(Left({.padding = {1, 1, 0, 0}}), 1);
}

}  // namespace
}  // namespace hone::testing
