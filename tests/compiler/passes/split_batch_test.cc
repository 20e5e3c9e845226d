#include <gtest/gtest.h>

#include "compiler/passes/general_passes.h"
#include "compiler/relay/counted_outputs.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/ranged_inputs.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;

constexpr int64_t kImage = int64_t{4} * 8 * 8 * 4;  // bytes of four channels of 8 x 8

// Splits with `room` bytes for activations.
IRModule Split(const ExprPtr& body, int64_t room) {
  const IRModule module = ModuleOf(body);
  MachineModel machine;
  machine.l3_bytes = 2 * room;
  const IRModule after = relay::InferType(SplitBatch(module, machine));
  ExpectSameMeaning(module, after);
  return after;
}

ExprPtr Images(int64_t batch) { return Input("x", {batch, 4, 8, 8}); }
ExprPtr Layer(const ExprPtr& x, uint64_t seed) { return MakeCall("nn.relu", {Conv(x, 4, 4, 3, seed)}); }
ExprPtr Halved(const ExprPtr& x) {
  using Ints = std::vector<int64_t>;
  return MakeCall("nn.max_pool2d", {x}, {{"pool_size", Ints{2, 2}}, {"strides", Ints{2, 2}}});
}

TEST(SplitBatch, WhileActivationsAreLarge) {
  // Layers of 8 x 8 take 2 units per image, those of 4 x 4 half a unit.
  const ExprPtr body = Layer(Halved(Layer(Layer(Images(4), 1), 2)), 3);
  const IRModule after = Split(body, 5 * kImage);
  EXPECT_EQ(CountOf(after, "nn.conv2d"), 2 * 2 + 1) << "two layers for two images at a time, the last for all four";
  EXPECT_EQ(CountOf(after, "strided_slice"), 2);
  EXPECT_EQ(CountOf(after, "concatenate"), 1);
  EXPECT_EQ(CountOf(Split(body, 2 * kImage), "nn.conv2d"), 4 * 2 + 1) << "one at a time when none fits";
}

TEST(SplitBatch, WhatFitsStaysTogether) {
  EXPECT_EQ(CountOf(Split(Layer(Halved(Layer(Images(4), 1)), 2), 8 * kImage), "nn.conv2d"), 2);
  EXPECT_EQ(CountOf(Split(Layer(Halved(Layer(Images(1), 1)), 2), 1), "nn.conv2d"), 2);
}

// A part of one image for each of a run of one would be done for all four.
TEST(SplitBatch, ABatchThatRunsChooseStaysTogether) {
  const ExprPtr x = Images(4), n = relay::MakeVar("n", relay::TensorType({}, DType::kInt64));
  const auto var = [](const ExprPtr& expr) { return std::static_pointer_cast<const relay::Var>(expr); };
  relay::Attrs attrs;
  attrs.Set(std::string(relay::kRanged), relay::RangedNumbers({{0, 0, 1, 1}}));
  attrs.Set(std::string(relay::kCounted), relay::CountedNumbers({{0, 0, 1, 4}}));
  IRModule module;
  module.main = std::make_shared<const relay::Function>(std::vector{var(x), var(n)},
                                                        relay::MakeTuple({Halved(Layer(Layer(x, 1), 2)), n}), attrs);
  MachineModel machine;
  machine.l3_bytes = 2;
  EXPECT_EQ(CountOf(SplitBatch(relay::InferType(module), machine), "nn.conv2d"), 2);
}

TEST(SplitBatch, EndsBehindWhatIsStillUsed) {
  const ExprPtr first = Layer(Images(2), 1);
  const ExprPtr sum = MakeCall("add", {Layer(first, 2), first});
  const IRModule after = Split(Layer(Halved(sum), 3), 3 * kImage);
  EXPECT_EQ(CountOf(after, "add"), 2);
  EXPECT_EQ(CountOf(after, "nn.conv2d"), 2 * 2 + 1);
}

TEST(SplitBatch, ValuesThatOnlyLookLikeImagesStop) {
  // The filters, biases and rows are as many as the images.
  const ExprPtr weight = Input("w", {4, 4, 1, 1}), bias = Input("b", {4}), rows = Input("r", {8, 8});
  const ExprPtr conv = MakeCall("nn.conv2d", {Layer(Images(4), 1), weight});
  EXPECT_EQ(CountOf(Split(Halved(conv), 1), "nn.conv2d"), 4 + 1) << "the layer before it alone";
  const ExprPtr biased = MakeCall("nn.bias_add", {Images(4), bias});
  EXPECT_EQ(CountOf(Split(Halved(biased), 1), "strided_slice"), 0);
  EXPECT_EQ(CountOf(Split(Halved(MakeCall("add", {Images(8), rows})), 1), "strided_slice"), 0);
}

TEST(SplitBatch, ConstantsOfEachImageStop) {
  const ExprPtr sum = MakeCall("add", {Images(4), RandomConstant({4, 1, 1, 1}, 5)});
  EXPECT_EQ(CountOf(Split(Halved(sum), 1), "strided_slice"), 0);
  const ExprPtr joined =
      MakeCall("concatenate", {relay::MakeTuple({Images(4), RandomConstant({4, 1, 8, 8}, 6)})}, {{"axis", int64_t{1}}});
  EXPECT_EQ(CountOf(Split(Halved(joined), 1), "strided_slice"), 0);
}

}  // namespace
}  // namespace hone::testing
