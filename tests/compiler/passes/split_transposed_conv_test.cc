#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/passes/mark_calls.h"
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
  Ints dilation{1, 1};
  int64_t groups = 1;
  bool computed = false;  // whether the weight is computed
};

ExprPtr Transposed(const Case& c) {
  const Shape shape{4, 8 / c.groups, c.kernel[0], c.kernel[1]};
  return MakeCall("nn.conv2d_transpose",
                  {Input("x", {2, 4, 3, 5}), c.computed ? Input("w", shape) : RandomConstant(shape, 1)},
                  {{"strides", c.strides},
                   {"padding", c.padding},
                   {"output_padding", c.extra},
                   {"dilation", c.dilation},
                   {"groups", c.groups},
                   {"channels", int64_t{8}},
                   {"kernel_size", c.kernel}});
}

IRModule Split(const ExprPtr& body, int lanes) {
  const IRModule module = ModuleOf(body);
  const IRModule after = relay::InferType(SplitTransposedConvs(module, lanes));
  ExpectSameMeaning(module, after);
  EXPECT_EQ(CountOf(after, "nn.conv2d_transpose"), 0);
  return after;
}

int Convs(const Case& c, int lanes = 4) { return CountOf(Split(Transposed(c), lanes), "nn.conv2d"); }

TEST(SplitTransposedConvs, BecomeConvolutions) {
  EXPECT_EQ(Convs({}), 4);
  EXPECT_EQ(Convs({.kernel = {3, 3}}), 4) << "5 rows and 9 columns are no multiples of the strides";
  EXPECT_EQ(Convs({.kernel = {5, 5}, .padding = {2, 2, 2, 2}, .extra = {1, 1}}), 4);
  EXPECT_EQ(Convs({.kernel = {3, 3}, .strides = {1, 3}, .padding = {1, 0, 1, 0}}), 3);
  EXPECT_EQ(Convs({.kernel = {3, 3}, .strides = {1, 1}}), 1);
  EXPECT_EQ(Convs({.groups = 4}), 4);
  EXPECT_EQ(Convs({.computed = true}), 4);
}

TEST(SplitTransposedConvs, PhasesWithoutTapsAreZero) {
  EXPECT_EQ(Convs({.kernel = {2, 2}, .strides = {3, 3}, .padding = {0, 0, 0, 0}}), 4);
  EXPECT_EQ(Convs({.kernel = {3, 3}, .padding = {0, 0, 0, 0}, .dilation = {2, 2}}), 1);
  EXPECT_EQ(Convs({.kernel = {1, 1}, .strides = {1, 1}, .padding = {0, 0, 0, 0}, .extra = {2, 0}}), 1);
}

TEST(SplitTransposedConvs, HaveTheSameMeaningInAnyGeometry) {
  uint64_t state = 7;
  const auto draw = [&state](int64_t low, int64_t high) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return low + static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(high - low + 1));
  };
  for (int i = 0; i < 300; ++i) {
    Case c{.kernel = {draw(1, 6), draw(1, 6)},
           .strides = {draw(1, 5), draw(1, 5)},
           .dilation = {draw(1, 4), draw(1, 4)},
           .groups = int64_t{1} << draw(0, 2),
           .computed = draw(0, 3) == 0};
    for (size_t axis : {0, 1}) {
      const int64_t cut = (axis == 0 ? 2 : 4) * c.strides[axis] + (c.kernel[axis] - 1) * c.dilation[axis];
      c.padding[axis] = draw(0, cut);
      c.padding[2 + axis] = draw(0, cut - c.padding[axis]);
      c.extra[axis] = draw(0, 3);
    }
    SCOPED_TRACE(i);
    Split(Transposed(c), draw(0, 1) == 0 ? 4 : 64);
  }
}

TEST(SplitTransposedConvs, WhatFollowsGoesToThePhases) {
  const ExprPtr biased = MakeCall("nn.bias_add", {Transposed({}), RandomConstant({8}, 2)});
  const ExprPtr scaled = MakeCall("multiply", {MakeCall("nn.relu", {biased}), RandomConstant({1, 8, 1, 1}, 3)});
  EXPECT_EQ(OpNames(Split(scaled, 4)).back(), "nn.interleave");
  const Case holes{.kernel = {2, 2}, .strides = {3, 3}};
  const ExprPtr both = MakeCall("add", {Transposed(holes), MakeCall("tanh", {Transposed(holes)})});
  EXPECT_EQ(CountOf(Split(both, 4), "nn.interleave"), 1);
  const ExprPtr shifted = MakeCall("add", {Transposed({}), RandomConstant({1, 8, 6, 10}, 3)});
  EXPECT_EQ(OpNames(Split(shifted, 4)).back(), "add") << "not the same for all places";
}

TEST(SplitTransposedConvs, WindowsThatDoNotMeetReadTheDataOnce) {
  EXPECT_EQ(Convs({.kernel = {2, 2}, .padding = {0, 0, 0, 0}}), 1);
  const ExprPtr pixel = MakeCall("nn.conv2d_transpose", {Input("x", {2, 4, 1, 1}), RandomConstant({4, 8, 4, 4}, 1)});
  const IRModule after = Split(pixel, 4);
  EXPECT_EQ(CountOf(after, "nn.conv2d"), 1);
  relay::PostOrderVisit(after.main->body, [](const ExprPtr& expr) {
    const relay::Call* conv = relay::AsCallTo(expr, "nn.conv2d");
    if (conv != nullptr) {
      EXPECT_EQ(conv->args[1]->type->shape, (Shape{128, 4, 1, 1}));
    }
  });
}

TEST(SplitTransposedConvs, ManyPhasesShareAConvolution) {
  EXPECT_EQ(Convs({.kernel = {18, 20}, .strides = {9, 10}, .groups = 4}), 1);
  EXPECT_EQ(Convs({.kernel = {3, 20}, .strides = {1, 90}}), 1);
}

TEST(SplitTransposedConvs, FewOutputsShareVectors) {
  EXPECT_EQ(Convs({}, 8), 4) << "8 outputs fill a vector of 8";
  EXPECT_EQ(Convs({}, 32), 1) << "32 outputs of 2 x 2 taps in one vector";
  EXPECT_EQ(Convs({.kernel = {3, 3}, .strides = {1, 3}, .padding = {1, 0, 1, 0}}, 32), 1);
  EXPECT_EQ(Convs({.kernel = {5, 5}, .padding = {2, 2, 2, 2}, .extra = {1, 1}}, 32), 1);
}

TEST(SplitTransposedConvs, WhatKeepsFloat32StillDoes) {
  const ExprPtr weight = RandomConstant({4, 8, 4, 4}, 1);
  const IRModule module = ModuleOf(MakeCall(
      "nn.conv2d_transpose", {Input("x", {2, 4, 3, 5}), weight},
      {{"strides", Ints{2, 2}}, {"padding", Ints{1, 1, 1, 1}}, {"channels", int64_t{8}}, {"kernel_size", Ints{4, 4}}},
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

// Integers times scales, in the form that products of bytes need.
TEST(SplitTransposedConvs, QuantisedWeightsStayIntegers) {
  Tensor whole(DType::kInt8, {4, 8, 4, 4});
  for (int64_t i = 0; i < whole.elements(); ++i) whole.Set(i, static_cast<double>(i * 7 % 255 - 127));
  const ExprPtr integers = MakeCall("cast", {relay::MakeConstant(whole)}, {{"dtype", std::string("float32")}});
  const ExprPtr weight = MakeCall("multiply", {integers, RandomConstant({1, 8, 1, 1}, 1)});
  const IRModule after = Split(MakeCall("nn.conv2d_transpose", {Input("x", {2, 4, 3, 5}), weight},
                                        {{"strides", Ints{2, 2}}, {"padding", Ints{1, 1, 1, 1}}}),
                               4);
  int found = 0;
  relay::PostOrderVisit(after.main->body, [&](const ExprPtr& expr) {
    const relay::Call* conv = relay::AsCallTo(expr, "nn.conv2d");
    const relay::Call* scaled = conv != nullptr ? relay::AsCallTo(conv->args[1], "multiply") : nullptr;
    const relay::Call* cast = scaled != nullptr ? relay::AsCallTo(scaled->args[0], "cast") : nullptr;
    found += cast != nullptr && relay::AsConstant(cast->args[0]) != nullptr ? 1 : 0;
  });
  EXPECT_EQ(found, 4);
}

}  // namespace
}  // namespace hone::testing
