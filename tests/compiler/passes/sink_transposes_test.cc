#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::ElementsAre;
using Ints = std::vector<int64_t>;

std::vector<std::string> Sunk(const ExprPtr& body) {
  const IRModule module = ModuleOf(body);
  const IRModule after = relay::InferType(SinkTransposes(module));
  ExpectSameMeaning(module, after);
  return OpNames(after);
}

ExprPtr ChannelsLast(const ExprPtr& x) { return MakeCall("transpose", {x}, {{"axes", Ints{0, 2, 3, 1}}}); }
ExprPtr ChannelsFirst(const ExprPtr& x) { return MakeCall("transpose", {x}, {{"axes", Ints{0, 3, 1, 2}}}); }
ExprPtr Image() { return Input("x", {1, 4, 5, 6}); }

TEST(SinkTransposes, InversesMeetBehindElementwiseOperators) {
  const ExprPtr relu = MakeCall("nn.relu", {ChannelsLast(Image())});
  EXPECT_THAT(Sunk(ChannelsFirst(MakeCall("exp", {relu}))), ElementsAre("nn.relu", "exp"));
}

TEST(SinkTransposes, ConstantsTurnWithTheData) {
  const ExprPtr scaled = MakeCall("multiply", {ChannelsLast(Image()), RandomConstant({4}, 1)});
  const ExprPtr shifted = MakeCall("add", {RandomConstant({5, 1, 4}, 2), scaled});
  const ExprPtr biased = MakeCall("nn.bias_add", {shifted, RandomConstant({4}, 3)}, {{"axis", int64_t{-1}}});
  EXPECT_THAT(Sunk(ChannelsFirst(biased)), ElementsAre("multiply", "add", "nn.bias_add"));
}

TEST(SinkTransposes, AScaleOfEachChannelTurnsWithTheData) {
  const ExprPtr x = ChannelsLast(Image());
  const ExprPtr mean = MakeCall("mean", {x}, {{"axis", Ints{1, 2}}, {"keepdims", true}});
  EXPECT_THAT(Sunk(ChannelsFirst(MakeCall("multiply", {x, MakeCall("sigmoid", {mean})}))),
              ElementsAre("mean", "sigmoid", "multiply"));
}

TEST(SinkTransposes, AxesAreRenamed) {
  ExprPtr x = MakeCall("nn.pad", {ChannelsLast(Image())}, {{"pad_width", Ints{0, 0, 1, 2, 3, 4, 0, 0}}});
  x = MakeCall("strided_slice", {x}, {{"begin", Ints{1, 2}}, {"end", Ints{7, 9}}, {"axes", Ints{1, -2}}});
  x = MakeCall("nn.softmax", {x}, {{"axis", int64_t{-1}}});
  const ExprPtr joined = MakeCall("concatenate", {relay::MakeTuple({x, x})}, {{"axis", int64_t{3}}});
  EXPECT_THAT(Sunk(ChannelsFirst(joined)), ElementsAre("nn.pad", "strided_slice", "nn.softmax", "concatenate"));
}

TEST(SinkTransposes, ItemsOfASplit) {
  const ExprPtr split =
      MakeCall("split", {ChannelsLast(Image())}, {{"indices_or_sections", Ints{2}}, {"axis", int64_t{3}}});
  const ExprPtr sum = MakeCall("add", {relay::MakeTupleGetItem(split, 0), relay::MakeTupleGetItem(split, 1)});
  EXPECT_EQ(CountOf(relay::InferType(SinkTransposes(ModuleOf(ChannelsFirst(sum)))), "transpose"), 0);
  Sunk(ChannelsFirst(sum));
}

TEST(SinkTransposes, AReductionThatDropsAxesLeavesTheOthersInOrder) {
  EXPECT_THAT(Sunk(MakeCall("mean", {ChannelsLast(Image())}, {{"axis", Ints{1, 2}}})), ElementsAre("mean"));
  EXPECT_THAT(Sunk(MakeCall("max", {ChannelsLast(Image())}, {{"axis", Ints{-3}}})), ElementsAre("max", "transpose"));
  EXPECT_THAT(Sunk(MakeCall("sum", {ChannelsLast(Image())})), ElementsAre("sum"));
}

TEST(SinkTransposes, ASumWithSomethingLargeStays) {
  const ExprPtr sum = MakeCall("add", {ChannelsLast(Image()), Input("y", {1, 5, 6, 4})});
  EXPECT_THAT(Sunk(ChannelsFirst(sum)), ElementsAre("transpose", "add", "transpose"));
}

TEST(SinkTransposes, NothingMovesThatDoesNotPay) {
  EXPECT_THAT(Sunk(MakeCall("nn.relu", {ChannelsLast(Image())})), ElementsAre("transpose", "nn.relu"));
}

TEST(SinkTransposes, WhatMovesAxesOfOneElementIsAReshape) {
  EXPECT_THAT(Sunk(MakeCall("nn.relu", {ChannelsLast(Input("x", {1, 4, 1, 1}))})), ElementsAre("reshape", "nn.relu"));
}

}  // namespace
}  // namespace hone::testing
