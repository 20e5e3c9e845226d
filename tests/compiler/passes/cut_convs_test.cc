#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::ElementsAre;
using Ints = std::vector<int64_t>;

ExprPtr PaddedConv(Ints padding, Ints strides = {1, 1}, Ints dilation = {1, 1}) {
  return MakeCall(
      "nn.conv2d", {Input("x", {2, 3, 7, 9}), RandomConstant({4, 3, 3, 3}, 1)},
      {{"padding", std::move(padding)}, {"strides", std::move(strides)}, {"dilation", std::move(dilation)}});
}

ExprPtr Slice(const ExprPtr& x, Ints begin, Ints end, Ints axes, Ints strides = {}) {
  return MakeCall("strided_slice", {x},
                  {{"begin", std::move(begin)},
                   {"end", std::move(end)},
                   {"strides", std::move(strides)},
                   {"axes", std::move(axes)}});
}

// The padding after the pass, or nothing where the slice remains. Checks that the results are unchanged.
Ints PaddingAfter(const ExprPtr& body) {
  const IRModule module = ModuleOf(body), after = relay::InferType(CutConvs(module));
  ExpectSameMeaning(module, after);
  if (CountOf(after, "strided_slice") > 0) return {};
  ExprPtr at = after.main->body;
  while (relay::AsCallTo(at, "nn.conv2d") == nullptr) at = relay::AsCall(at)->args[0];
  return relay::AsCall(at)->attrs.GetInts("padding");
}

TEST(CutConvs, WhatThePaddingGaveAndASliceTakesIsNotComputed) {
  EXPECT_THAT(PaddingAfter(Slice(PaddedConv({2, 2, 2, 2}), {0}, {-2}, {3})), ElementsAre(2, 2, 2, 0));
  EXPECT_THAT(PaddingAfter(Slice(PaddedConv({2, 2, 2, 2}), {1, 1}, {100, -1}, {2, -1})), ElementsAre(1, 1, 2, 1));
  const int64_t end = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(PaddingAfter(Slice(PaddedConv({2, 2, 2, 2}), {0, 0, 2}, {end, end, end}, {})), ElementsAre(0, 2, 2, 2));
}

TEST(CutConvs, BiasesAndActivationsGoWithIt) {
  const ExprPtr biased = MakeCall("nn.bias_add", {PaddedConv({1, 4, 1, 4}, {1, 1}, {1, 2}), RandomConstant({4}, 2)});
  const ExprPtr active = MakeCall("nn.relu", {MakeCall("divide", {biased, RandomConstant({4, 1, 1}, 3)})});
  EXPECT_THAT(PaddingAfter(Slice(active, {0}, {-4}, {3})), ElementsAre(1, 4, 1, 0));
  const ExprPtr rows = MakeCall("multiply", {PaddedConv({2, 2, 2, 2}), RandomConstant({4, 9, 1}, 3)});
  EXPECT_THAT(PaddingAfter(Slice(rows, {0}, {-2}, {2})), ElementsAre()) << "a number for each row";
}

TEST(CutConvs, StridesTakeSeveralColumnsEach) {
  // 6 results from 9 columns and padding 4: without padding at the end there are 5 results rather than 4.
  EXPECT_THAT(PaddingAfter(Slice(PaddedConv({1, 2, 1, 2}, {1, 2}), {0}, {4}, {3})), ElementsAre());
  EXPECT_THAT(PaddingAfter(Slice(PaddedConv({1, 2, 1, 2}, {1, 2}), {1}, {6}, {3})), ElementsAre(1, 0, 1, 2));
  EXPECT_THAT(PaddingAfter(Slice(PaddedConv({1, 2, 1, 2}, {1, 2}), {0}, {5}, {3})), ElementsAre(1, 2, 1, 0));
}

TEST(CutConvs, OthersStay) {
  EXPECT_THAT(PaddingAfter(Slice(PaddedConv({1, 1, 1, 1}), {0}, {-2}, {3})), ElementsAre()) << "more than the padding";
  EXPECT_THAT(PaddingAfter(Slice(PaddedConv({1, 1, 1, 1}), {2}, {9}, {3})), ElementsAre()) << "more than the padding";
  EXPECT_THAT(PaddingAfter(Slice(PaddedConv({2, 2, 2, 2}), {0}, {-2}, {1})), ElementsAre()) << "channels";
  EXPECT_THAT(PaddingAfter(Slice(PaddedConv({2, 2, 2, 2}), {0}, {-1}, {3}, {2})), ElementsAre()) << "steps";
  const ExprPtr conv = PaddedConv({2, 2, 2, 2});
  const ExprPtr both =
      MakeCall("concatenate", {relay::MakeTuple({Slice(conv, {0}, {-2}, {3}), conv})}, {{"axis", int64_t{3}}});
  EXPECT_THAT(PaddingAfter(both), ElementsAre()) << "others read all of it";
}

}  // namespace
}  // namespace hone::testing
