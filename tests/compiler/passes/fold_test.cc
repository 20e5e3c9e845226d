#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/fold_constants.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::ElementsAre;

ExprPtr BatchNorm(const ExprPtr& data, int64_t channels, uint64_t seed) {
  const ExprPtr norm =
      MakeCall("nn.batch_norm",
               {data, RandomConstant({channels}, seed), RandomConstant({channels}, seed + 1),
                RandomConstant({channels}, seed + 2), relay::MakeConstant(PositiveTensor({channels}, seed + 3))});
  return relay::MakeTupleGetItem(norm, 0);
}

IRModule Folded(const IRModule& module) {
  return relay::InferType(FoldBatchNorm(relay::InferType(SimplifyInference(module))));
}

TEST(BindParams, MakesConstantsAndKeepsInputs) {
  const ExprPtr sum = MakeCall("add", {Input("x", {2, 3}), Input("w", {2, 3})});
  IRModule module = ModuleOf(sum);
  module.params.emplace_back("w", RandomTensor({2, 3}, 1));
  const IRModule bound = BindParams(module);
  ASSERT_EQ(bound.main->params.size(), 1U);
  EXPECT_EQ(bound.main->params[0]->name, "x");
  EXPECT_NE(relay::AsConstant(relay::AsCall(bound.main->body)->args[1]), nullptr);
  EXPECT_TRUE(bound.params.empty());
}

TEST(BindParams, RefusesAValueOfAnotherShape) {
  IRModule module = ModuleOf(MakeCall("add", {Input("x", {2, 3}), Input("w", {2, 3})}));
  module.params.emplace_back("w", RandomTensor({3, 2}, 1));
  EXPECT_THROW(BindParams(module), Error);
}

TEST(FoldConstants, ComputesWhatDependsOnConstantsAlone) {
  const ExprPtr product = MakeCall("multiply", {RandomConstant({4}, 1), RandomConstant({4}, 2)});
  const IRModule module = ModuleOf(MakeCall("add", {Input("x", {2, 4}), MakeCall("nn.relu", {product})}));
  const IRModule folded = relay::InferType(FoldConstants(module, 1));
  EXPECT_THAT(OpNames(folded), ElementsAre("add"));
  ExpectSameMeaning(module, folded);
}

TEST(FoldConstants, KnowsStaticShapesAtAnyLevel) {
  const IRModule module = ModuleOf(MakeCall("shape_of", {Input("x", {2, 4})}));
  const IRModule folded = FoldConstants(module, 0);
  const relay::Constant* shape = relay::AsConstant(folded.main->body);
  ASSERT_NE(shape, nullptr);
  EXPECT_EQ(shape->value.At(1), 4);
}

TEST(SimplifyInference, BatchNormIsScaleAndShiftPerChannel) {
  const IRModule module = ModuleOf(BatchNorm(Input("x", {2, 5, 3, 3}), 5, 10));
  const IRModule simple = relay::InferType(SimplifyInference(module));
  EXPECT_THAT(OpNames(simple), ElementsAre("multiply", "add"));
  EXPECT_EQ(relay::AsCall(simple.main->body)->args[1]->type->shape, (Shape{5, 1, 1}));
  ExpectSameMeaning(module, simple);
}

TEST(SimplifyInference, BatchNormOfInputsIsComputed) {
  const ExprPtr norm = MakeCall("nn.batch_norm", {Input("x", {2, 5, 3, 3}), Input("gamma", {5}), Input("beta", {5}),
                                                  Input("mean", {5}), MakeCall("exp", {Input("var", {5})})});
  const IRModule module = ModuleOf(relay::MakeTupleGetItem(norm, 0));
  const IRModule simple = relay::InferType(SimplifyInference(module));
  EXPECT_EQ(CountOf(simple, "nn.batch_norm"), 0);
  ExpectSameMeaning(module, simple);
}

TEST(SimplifyInference, DropoutIsItsInput) {
  const ExprPtr dropout = relay::MakeTupleGetItem(MakeCall("nn.dropout", {Input("x", {2, 4})}), 0);
  const IRModule simple = SimplifyInference(ModuleOf(dropout));
  EXPECT_NE(relay::AsVar(simple.main->body), nullptr);
}

TEST(FoldBatchNorm, GoesIntoWeightsAndBias) {
  const IRModule module = ModuleOf(MakeCall("nn.relu", {BatchNorm(Conv(Input("x", {2, 3, 5, 5}), 3, 8, 3, 1), 8, 20)}));
  const IRModule folded = Folded(module);
  EXPECT_THAT(OpNames(folded), ElementsAre("nn.conv2d", "nn.bias_add", "nn.relu"));
  ExpectSameMeaning(module, folded);
}

TEST(FoldBatchNorm, FoldsBehindABiasAndTwice) {
  ExprPtr x = MakeCall("nn.bias_add", {Conv(Input("x", {1, 3, 5, 5}), 3, 8, 1, 1), RandomConstant({8}, 2)});
  x = BatchNorm(BatchNorm(x, 8, 30), 8, 40);
  const IRModule module = ModuleOf(x);
  const IRModule folded = Folded(module);
  EXPECT_THAT(OpNames(folded), ElementsAre("nn.conv2d", "nn.bias_add"));
  ExpectSameMeaning(module, folded);
}

TEST(FoldBatchNorm, FoldsAnyOrderOfStepsBehindDense) {
  ExprPtr x = MakeCall("nn.dense", {Input("x", {3, 6}), RandomConstant({4, 6}, 1)});
  x = MakeCall("subtract", {x, RandomConstant({1, 4}, 2)});
  x = MakeCall("multiply", {ScalarConstant(3), x});
  x = MakeCall("divide", {x, relay::MakeConstant(PositiveTensor({4}, 3))});
  const IRModule module = ModuleOf(x);
  const IRModule folded = Folded(module);
  EXPECT_THAT(OpNames(folded), ElementsAre("nn.dense", "nn.bias_add"));
  ExpectSameMeaning(module, folded);
}

TEST(FoldBatchNorm, LeavesALayerThatOthersRead) {
  const ExprPtr conv = Conv(Input("x", {1, 3, 5, 5}), 3, 8, 1, 1);
  const IRModule module = ModuleOf(MakeCall("add", {conv, BatchNorm(conv, 8, 20)}));
  const IRModule folded = Folded(module);
  EXPECT_EQ(CountOf(folded, "multiply"), 1);
  ExpectSameMeaning(module, folded);
}

TEST(FoldBatchNorm, LeavesConstantMinusLayer) {
  const ExprPtr conv = Conv(Input("x", {1, 3, 5, 5}), 3, 8, 1, 1);
  const IRModule module = ModuleOf(MakeCall("subtract", {RandomConstant({8, 1, 1}, 2), conv}));
  const IRModule folded = Folded(module);
  EXPECT_THAT(OpNames(folded), ElementsAre("nn.conv2d", "subtract"));
  ExpectSameMeaning(module, folded);
}

}  // namespace
}  // namespace hone::testing
