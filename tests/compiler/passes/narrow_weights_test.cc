#include "compiler/passes/narrow_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/mark_calls.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kRounding = 1e-3;  // a weight changes by 2^-11 of itself at most

Tensor Weights(uint64_t seed = 1) { return RandomTensor({128, 512}, seed); }

ExprPtr Dense(const ExprPtr& data, const Tensor& weights, const std::string& name = "fc") {
  return relay::MakeCall("nn.dense", {data, relay::MakeConstant(weights)}, {}, name);
}

std::vector<DType> WeightTypes(const IRModule& module) {
  std::vector<DType> types;
  for (const ExprPtr& expr : PostOrder(module.main->body)) {
    if (const relay::Call* dense = relay::AsCallTo(expr, "nn.dense")) types.push_back(dense->args[1]->type->dtype);
  }
  return types;
}

TEST(NarrowWeights, LayersOfAFewRowsGetFloat16) {
  for (const int64_t rows : {1, 4}) {
    const IRModule module = ModuleOf(Dense(Input("x", {rows, 512}), Weights()));
    const IRModule narrow = NarrowWeights(module);
    EXPECT_THAT(WeightTypes(narrow), ElementsAre(DType::kFloat16)) << rows;
    EXPECT_THAT(WeightsKeptWide(narrow), ::testing::IsEmpty());
    ExpectSameMeaning(module, narrow, kRounding);
  }
}

TEST(NarrowWeights, WeightsOfAModelOfFloat16StayItsNumbers) {
  const auto layer = [](const Tensor& weights, bool half) {
    const ExprPtr x = half ? relay::MakeVar("x", relay::TensorType({1, 512}, DType::kFloat16)) : Input("x", {1, 512});
    return ModuleOf(Dense(half ? relay::MakeCall("cast", {x}, {{"dtype", std::string("float32")}}) : x, weights));
  };
  const Tensor exact = Weights().As(DType::kFloat16).As(DType::kFloat32);
  const IRModule module = layer(exact, true), narrow = NarrowExactWeights(module);
  EXPECT_THAT(WeightTypes(narrow), ElementsAre(DType::kFloat16));
  ExpectSameMeaning(module, narrow, 0);
  EXPECT_THAT(WeightTypes(NarrowExactWeights(layer(Weights(), true))), ElementsAre(DType::kFloat32));
  EXPECT_THAT(WeightTypes(NarrowExactWeights(layer(exact, false))), ElementsAre(DType::kFloat32));
}

TEST(NarrowWeights, ExactMeansThatEveryNumberComesBack) {
  for (const DType half : {DType::kFloat16, DType::kBFloat16}) {
    Tensor all(half, {1 << 16});
    for (int i = 0; i < 1 << 16; ++i) static_cast<uint16_t*>(all.raw())[i] = static_cast<uint16_t>(i);
    const Tensor wide = all.As(DType::kFloat32);
    for (int64_t i = 0; i < wide.elements(); ++i) {
      if (std::isnan(wide.At(i))) continue;
      const auto exact = ExactAs(Tensor::Scalar(static_cast<float>(wide.At(i))), half);
      ASSERT_TRUE(exact) << i;
      ASSERT_EQ(*static_cast<const uint16_t*>(exact->raw()), i);
      const float next = std::bit_cast<float>(std::bit_cast<uint32_t>(static_cast<float>(wide.At(i))) + 1);
      ASSERT_FALSE(ExactAs(Tensor::Scalar(next), half)) << i;
    }
  }
  EXPECT_FALSE(ExactAs(Tensor::Scalar(65536), DType::kFloat16));
  EXPECT_FALSE(ExactAs(Tensor::Scalar(0x1p-25F), DType::kFloat16));
}

TEST(NarrowWeights, LayersThatMultiplyForLongerAndThoseOfFewWeightsStay) {
  for (const ExprPtr& body :
       {Dense(Input("x", {5, 512}), Weights()), Dense(Input("x", {1, 512}), RandomTensor({127, 512}, 1))}) {
    const IRModule module = ModuleOf(body);
    EXPECT_EQ(NarrowWeights(module).main, module.main);
  }
}

TEST(NarrowWeights, WhatKeepsFloat32Stays) {
  const IRModule module = relay::InferType(KeepFloat32(ModuleOf(Dense(Input("x", {1, 512}), Weights(), "fc")), {"fc"}));
  EXPECT_THAT(WeightTypes(NarrowWeights(module)), ElementsAre(DType::kFloat32));
}

TEST(NarrowWeights, WeightsThatFloat16DoesNotHoldStayWithAReason) {
  Tensor large = Weights(), tiny = Weights(), nan = Weights();
  large.Set(700, 70000);
  for (int64_t i = 0; i < 512; ++i) tiny.Set(3 * 512 + i, 1e-6);
  nan.Set(9, std::numeric_limits<double>::quiet_NaN());
  for (const auto& [weights, reason] :
       {std::pair(large, "70000"), std::pair(tiny, "row of weights of at most 1e-06"), std::pair(nan, "not finite")}) {
    const IRModule narrow = NarrowWeights(ModuleOf(Dense(Input("x", {1, 512}), weights)));
    EXPECT_THAT(WeightTypes(narrow), ElementsAre(DType::kFloat32));
    const std::vector<KeptWeights> kept = WeightsKeptWide(narrow);
    ASSERT_EQ(kept.size(), 1U) << reason;
    EXPECT_EQ(kept[0].node, "fc");
    EXPECT_THAT(kept[0].reason, HasSubstr(reason));
  }
}

TEST(NarrowWeights, ARowOfZerosAndTheLargestHalfAreHeld) {
  Tensor weights = Weights();
  for (int64_t i = 0; i < 512; ++i) weights.Set(i, 0);
  weights.Set(600, 65504);
  const IRModule module = ModuleOf(Dense(Input("x", {1, 512}), weights));
  EXPECT_THAT(WeightTypes(NarrowWeights(module)), ElementsAre(DType::kFloat16));
}

}  // namespace
}  // namespace hone::testing
