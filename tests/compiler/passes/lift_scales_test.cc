#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/whole_numbers.h"
#include "compiler/passes/quantised/quantised_passes.h"
#include "compiler/relay/infer_type.h"
#include "core/random.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::AnyOf;
using ::testing::ElementsAre;

// Integers in [-most, most].
ExprPtr WholeConstant(const Shape& shape, int most, uint64_t seed) {
  Tensor tensor(DType::kFloat32, shape);
  Random random(seed);
  const auto values = static_cast<uint64_t>(2 * most + 1);
  for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, static_cast<double>(random.Below(values)) - most);
  return relay::MakeConstant(tensor);
}

ExprPtr Channels(const std::vector<float>& values) {
  const auto count = static_cast<int64_t>(values.size());
  return relay::MakeConstant(Tensor::FromVector<float>(DType::kFloat32, {count, 1, 1, 1}, values));
}

// QuantizeLinear and DequantizeLinear in Relay: to uint8 with the zero point 3, and back.
ExprPtr Quantised(const ExprPtr& real, float scale) {
  const ExprPtr whole = MakeCall("round", {MakeCall("divide", {real, ScalarConstant(scale)})});
  const ExprPtr held =
      MakeCall("clip", {MakeCall("add", {whole, ScalarConstant(3)})}, {{"a_min", 0.0}, {"a_max", 255.0}});
  return MakeCall("cast", {held}, {{"dtype", std::string("uint8")}});
}

ExprPtr Dequantised(const ExprPtr& integers, float scale) {
  const ExprPtr whole = MakeCall("cast", {integers}, {{"dtype", std::string("float32")}});
  return MakeCall("multiply", {MakeCall("subtract", {whole, ScalarConstant(3)}), ScalarConstant(scale)});
}

ExprPtr BackAndForth(const ExprPtr& real, float scale) { return Dequantised(Quantised(real, scale), scale); }

ExprPtr QuantisedConv(const ExprPtr& data, int64_t in, const std::vector<float>& scales, uint64_t seed,
                      int most = 127) {
  const auto out = static_cast<int64_t>(scales.size());
  const ExprPtr weight = MakeCall("multiply", {WholeConstant({out, in, 3, 3}, most, seed), Channels(scales)});
  return MakeCall(
      "nn.conv2d", {data, weight},
      {{"padding", std::vector<int64_t>{1, 1, 1, 1}}, {"channels", out}, {"kernel_size", std::vector<int64_t>{3, 3}}});
}

IRModule Lifted(const IRModule& module) { return relay::InferType(LiftScales(module)); }

const std::vector<float> kScales{0.01F, 0.02F, 0.005F, 0.03F};

// A frontend reshapes a weight of rows to images of one row.
TEST(LiftScales, SeesWeightsThroughAReshape) {
  const ExprPtr rows =
      MakeCall("multiply", {WholeConstant({4, 3, 5}, 127, 1), relay::MakeConstant(PositiveTensor({4, 1, 1}, 2))});
  const auto conv = [&](const std::vector<int64_t>& shape, const ExprPtr& x) {
    return ModuleOf(MakeCall("nn.conv2d", {x, MakeCall("reshape", {rows}, {{"newshape", shape}})}));
  };
  const IRModule module = conv({4, 3, 1, 5}, BackAndForth(Input("x", {1, 3, 1, 9}), 0.02F));
  const IRModule lifted = Lifted(module);
  ExpectSameMeaning(module, lifted);
  EXPECT_TRUE(relay::AsCallTo(relay::AsCall(lifted.main->body)->args[0], "nn.conv2d")->attrs.GetBool("integral"));
  // Scales that do not belong to one output each stay in place.
  const IRModule mixed = conv({2, 6, 1, 5}, BackAndForth(Input("x", {1, 6, 1, 9}), 0.02F));
  EXPECT_NE(relay::AsCallTo(Lifted(mixed).main->body, "nn.conv2d"), nullptr);
}

TEST(LiftScales, ComputesAQuantisedConvolutionWithWholeNumbers) {
  const ExprPtr x = BackAndForth(Input("x", {1, 3, 5, 5}), 0.02F);
  std::vector<float> of_bias;
  for (const float scale : kScales) of_bias.push_back(scale * 0.02F);
  const ExprPtr bias_scales = relay::MakeConstant(Tensor::FromVector<float>(DType::kFloat32, {4}, of_bias));
  const ExprPtr bias = MakeCall("multiply", {WholeConstant({4}, 1000, 2), bias_scales});
  const ExprPtr sum = MakeCall("nn.bias_add", {QuantisedConv(x, 3, kScales, 1), bias});
  const IRModule module = ModuleOf(BackAndForth(MakeCall("nn.relu", {sum}), 0.1F));
  const IRModule lifted = Lifted(module);
  EXPECT_THAT(OpNames(lifted), ElementsAre("divide", "round", "clip", "nn.conv2d", "nn.bias_add", "nn.relu", "multiply",
                                           "round", "clip", "multiply"));
  // A sum close to a half may be rounded either way.
  ExpectSameMeaning(module, lifted, 0.02);
}

TEST(LiftScales, LeavesSumsThatFloatsDoNotHold) {
  // A sum of 400 * 9 products of 255 and 16-bit weights, of which half share a sign, may pass 2^24.
  const ExprPtr x = BackAndForth(Input("x", {1, 400, 3, 3}), 0.02F);
  const IRModule module = ModuleOf(MakeCall("nn.relu", {QuantisedConv(x, 400, kScales, 1, 1000)}));
  const IRModule lifted = Lifted(module);
  EXPECT_THAT(OpNames(lifted), ElementsAre("divide", "round", "clip", "multiply", "multiply", "nn.conv2d", "nn.relu"));
  EXPECT_EQ(CountOf(Lifted(ModuleOf(QuantisedConv(x, 400, kScales, 1, 20))), "multiply"), 1);
}

TEST(LiftScales, LongSumsOfBytesAreSaidToBeLong) {
  const ExprPtr x = BackAndForth(Input("x", {1, 400, 3, 3}), 0.02F);
  const IRModule module = ModuleOf(MakeCall("nn.relu", {QuantisedConv(x, 400, kScales, 1, 127)}));
  const IRModule lifted = Lifted(module);
  EXPECT_THAT(OpNames(lifted), ElementsAre("divide", "round", "clip", "nn.conv2d", "nn.relu", "multiply"));
  ExpectSameMeaning(module, lifted);
  for (const ExprPtr& expr : PostOrder(lifted.main->body)) {
    const relay::Call* conv = relay::AsCallTo(expr, "nn.conv2d");
    if (conv == nullptr) continue;
    EXPECT_TRUE(conv->attrs.GetBool("long_sums"));
    EXPECT_FALSE(WholeRangeOf(expr)) << "float32 rounds them";
  }
}

// Sums that exceed float32's integers are left to kernels of bytes, for any length of a row.
TEST(LiftScales, LiftsFromLongSumsOfDenseLayers) {
  const auto dense = [](int64_t inputs) {
    const ExprPtr weight = MakeCall("multiply", {WholeConstant({4, inputs}, 127, 2), ScalarConstant(0.01F)});
    const ExprPtr x = BackAndForth(Input("x", {1, inputs}), 0.02F);
    return ModuleOf(MakeCall("nn.relu", {MakeCall("nn.dense", {x, weight})}));
  };
  for (const int64_t inputs : {30, 3000, 3002}) {
    const IRModule module = dense(inputs), lifted = Lifted(module);
    EXPECT_THAT(OpNames(lifted), ElementsAre("divide", "round", "clip", "nn.dense", "nn.relu", "multiply"));
    ExpectSameMeaning(module, lifted);
  }
}

TEST(LiftScales, LeavesFloatModelsAlone) {
  const ExprPtr scaled = MakeCall("multiply", {Input("x", {1, 3, 5, 5}), ScalarConstant(0.5F)});
  const IRModule module = ModuleOf(MakeCall("nn.relu", {Conv(scaled, 3, 4, 3, 1)}));
  EXPECT_EQ(LiftScales(module).main, module.main);
}

TEST(LiftScales, MovesScalesBehindPoolsAndReshapes) {
  const ExprPtr x = BackAndForth(Input("x", {1, 4, 4, 4}), 0.02F);
  const ExprPtr pooled = MakeCall("nn.max_pool2d", {x},
                                  {{"pool_size", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 2}}});
  const ExprPtr again = BackAndForth(pooled, 0.02F);
  const IRModule module = ModuleOf(MakeCall("nn.batch_flatten", {again}));
  const IRModule lifted = Lifted(module);
  EXPECT_THAT(OpNames(lifted), ElementsAre("divide", "round", "clip", "nn.max_pool2d", "nn.batch_flatten", "multiply"));
  ExpectSameMeaning(module, lifted, 0);
}

// A product's single scale is broadcast over all its axes but the first.
TEST(LiftScales, MovesTheScaleOfAProductBehindWhatHasFewerAxes) {
  const ExprPtr conv = QuantisedConv(BackAndForth(Input("x", {1, 2, 4, 4}), 0.02F), 2, {0.01F}, 5);
  const IRModule module = ModuleOf(MakeCall("nn.batch_flatten", {conv}));
  const IRModule lifted = Lifted(module);
  EXPECT_THAT(OpNames(lifted), ElementsAre("divide", "round", "clip", "nn.conv2d", "nn.batch_flatten", "multiply"));
  ExpectSameMeaning(module, lifted, 1e-6);
}

TEST(LiftScales, KeepsEightBitsBetweenMovesAsFloats) {
  const ExprPtr q = Quantised(Input("x", {1, 2, 3, 3}), 0.02F);
  const ExprPtr joined = MakeCall("concatenate", {relay::MakeTuple({q, q})}, {{"axis", int64_t{1}}});
  const IRModule module = ModuleOf(Dequantised(MakeCall("reshape", {joined}, {{"newshape", Shape{4, 9}}}), 0.02F));
  const IRModule lifted = Lifted(module);
  EXPECT_EQ(CountOf(lifted, "cast"), 0);
  ExpectSameMeaning(module, lifted, 0);
}

TEST(LiftScales, RoundsAgainForAnotherScale) {
  const IRModule module = ModuleOf(BackAndForth(BackAndForth(Input("x", {40}), 0.02F), 0.03F));
  EXPECT_EQ(CountOf(Lifted(module), "round"), 2);
  ExpectSameMeaning(module, Lifted(module), 0);
}

TEST(WholeRangeOf, IsKnownForRoundedValues) {
  const auto range = [](const ExprPtr& expr) { return WholeRangeOf(relay::InferType(ModuleOf(expr)).main->body); };
  const ExprPtr x = Input("x", {4});
  EXPECT_FALSE(range(MakeCall("nn.relu", {x})).has_value());
  const ExprPtr whole = MakeCall("round", {x});
  const auto held = range(MakeCall("clip", {whole}, {{"a_min", -4.0}, {"a_max", 9.0}}));
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ(held->low, -4);
  EXPECT_EQ(held->high, 9);
  EXPECT_FALSE(range(MakeCall("clip", {whole}, {{"a_min", -4.5}, {"a_max", 9.0}})).has_value());
  EXPECT_FALSE(range(MakeCall("add", {whole, ScalarConstant(0.5F)})).has_value());
}

// The schedules of the anchors, where Winograd is the cheapest if the shape allows it.
std::vector<std::string> SchedulesOf(const ExprPtr& body) {
  std::vector<std::string> schedules;
  const IRModule module = RunPasses(ModuleOf(body), TestContext());
  for (const relay::Call* call : FunctionCalls(module)) {
    const ConfigChoice* choice = ChoiceOf(*relay::AsFunction(call->op));
    if (choice != nullptr) schedules.push_back(choice->schedule);
  }
  return schedules;
}

TEST(LiftScales, LetsNoInexactScheduleSumWholeNumbers) {
  const std::vector<float> scales(64, 0.01F);
  const ExprPtr x = Input("x", {1, 64, 28, 28});
  EXPECT_THAT(SchedulesOf(QuantisedConv(x, 64, scales, 1, 20)), ElementsAre("conv2d_winograd"));
  EXPECT_THAT(SchedulesOf(QuantisedConv(BackAndForth(x, 0.02F), 64, scales, 1, 20)),
              ElementsAre(AnyOf("conv2d_direct", "conv2d_winograd_int16")));
}

TEST(FoldBatchNorm, KeepsScalesOutOfWholeWeights) {
  const ExprPtr x = BackAndForth(Input("x", {1, 3, 5, 5}), 0.02F);
  const IRModule module = RunPassesUntil("canonicalise", ModuleOf(QuantisedConv(x, 3, kScales, 1)), TestContext());
  EXPECT_EQ(CountOf(module, "multiply"), 1);
}

}  // namespace
}  // namespace hone::testing
