#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

std::vector<std::string> After(const ExprPtr& body, int lanes = 4) {
  const IRModule module = ModuleOf(body);
  const IRModule after = relay::InferType(DepthToSpace(module, lanes));
  ExpectSameMeaning(module, after);
  return OpNames(after);
}

// Depth to space on channels of x with the block axes first (`places_first`) or last, as exported models write it.
ExprPtr Spread(const ExprPtr& x, int64_t channels, bool places_first) {
  const Ints parts = places_first ? Ints{1, 2, 2, channels, 3, 5} : Ints{1, channels, 2, 2, 3, 5};
  const Ints axes = places_first ? Ints{0, 3, 4, 1, 5, 2} : Ints{0, 1, 4, 2, 5, 3};
  const ExprPtr parted = MakeCall("reshape", {x}, {{"newshape", parts}});
  return MakeCall("reshape", {MakeCall("transpose", {parted}, {{"axes", axes}})},
                  {{"newshape", Ints{1, channels, 6, 10}}});
}

TEST(DepthToSpace, WhatFollowsGoesBefore) {
  const ExprPtr image = Spread(Input("x", {1, 16, 3, 5}), 4, true);
  const ExprPtr biased = MakeCall("nn.bias_add", {image, RandomConstant({4}, 1)});
  EXPECT_THAT(After(MakeCall("nn.relu", {biased})), ElementsAre("nn.bias_add", "nn.relu", "nn.depth_to_space"));
}

TEST(DepthToSpace, FiltersAreReordered) {
  const ExprPtr conv = MakeCall("nn.bias_add", {Conv(Input("x", {1, 3, 3, 5}), 3, 16, 3, 5), RandomConstant({16}, 2)});
  EXPECT_THAT(After(Spread(MakeCall("tanh", {conv}), 4, false)),
              ElementsAre("nn.conv2d", "nn.bias_add", "tanh", "nn.depth_to_space"));
}

TEST(DepthToSpace, WhatDoesNotFillVectorsIsTransposed) {
  const ExprPtr image = Spread(Input("x", {1, 12, 3, 5}), 3, true);
  EXPECT_THAT(After(MakeCall("nn.relu", {image})), ElementsAre("nn.relu", "reshape", "transpose", "reshape"));
}

TEST(DepthToSpace, AnOperatorWithTheChannelsFirstKeepsItsOrder) {
  const ExprPtr image = MakeCall("nn.depth_to_space", {Input("x", {1, 12, 3, 5})},
                                 {{"block_size", int64_t{2}}, {"mode", std::string("CRD")}});
  EXPECT_THAT(After(MakeCall("nn.bias_add", {image, RandomConstant({3}, 1)})),
              ElementsAre("nn.depth_to_space", "nn.bias_add"));
}

TEST(DepthToSpace, OthersStay) {
  const ExprPtr x = Input("x", {1, 16, 3, 5});
  EXPECT_THAT(After(Spread(x, 4, false)), ElementsAre("reshape", "transpose", "reshape")) << "no filters to reorder";
  const ExprPtr parted = MakeCall("reshape", {x}, {{"newshape", Ints{1, 2, 2, 4, 3, 5}}});
  const ExprPtr turned = MakeCall("transpose", {parted}, {{"axes", Ints{0, 3, 4, 2, 5, 1}}});
  EXPECT_THAT(After(MakeCall("reshape", {turned}, {{"newshape", Ints{1, 4, 6, 10}}})),
              ElementsAre("reshape", "transpose", "reshape"));
}

}  // namespace
}  // namespace hone::testing
