#include "compiler/passes/fusion/fuse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "compiler/passes/graph/anchor.h"
#include "core/activation.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::Contains;
using ::testing::ElementsAre;

IRModule Fused(const ExprPtr& body, bool groups = true) {
  const IRModule module = ModuleOf(body);
  const IRModule fused = Fuse(module, {.groups = groups});
  ExpectSameMeaning(module, fused);
  return fused;
}

ExprPtr Image() { return Input("x", {2, 8, 6, 6}); }
ExprPtr Biased(const ExprPtr& conv, uint64_t seed) {
  return MakeCall("nn.bias_add", {conv, RandomConstant({8}, seed)});
}

TEST(Fuse, AnAnchorTakesBiasResidualAndActivation) {
  const ExprPtr x = Image();
  const IRModule fused = Fused(MakeCall("nn.relu", {MakeCall("add", {x, Biased(Conv(x, 8, 8, 3, 1), 2)})}));
  EXPECT_THAT(FunctionNames(fused), ElementsAre("nn.conv2d+nn.bias_add+add+nn.relu"));
  const relay::Call& call = *FunctionCalls(fused)[0];
  ASSERT_EQ(call.args.size(), 4U);  // the data is also the residual
  EXPECT_EQ(call.args[0], call.args[3]);
  const auto anchor = AnchorOf(*relay::AsFunction(call.op));
  ASSERT_TRUE(anchor);
  EXPECT_EQ(anchor->epilogue, (Epilogue{true, true, ActivationNamed("relu"), 0, 0}));
  EXPECT_EQ(anchor->workload.epilogue, EpilogueClass::kResidual);
  EXPECT_EQ(anchor->workload.padding, (std::array<int64_t, 4>{1, 1, 1, 1}));
}

TEST(Fuse, TellsEachKernelOfAModelThatRounds) {
  const ExprPtr sum = MakeCall("add", {MakeCall("multiply", {Image(), ScalarConstant(2)}), ScalarConstant(1)});
  const ExprPtr pooled = MakeCall("nn.global_avg_pool2d", {sum});
  const auto marked = [](const IRModule& module) {
    const auto calls = FunctionCalls(module);
    return std::count_if(calls.begin(), calls.end(), [](const relay::Call* call) {
      return relay::AsFunction(call->op)->attrs.GetInt("rounds") == 1;
    });
  };
  EXPECT_EQ(marked(Fused(pooled)), 0);
  const IRModule rounding = Fused(MakeCall("round", {MakeCall("transpose", {pooled})}));
  EXPECT_EQ(marked(rounding), static_cast<int64_t>(FunctionCalls(rounding).size()));
}

// x * scale + shift, then relu, ahead of a 1x1 convolution from 16 channels.
ExprPtr Activated(const ExprPtr& x) {
  const ExprPtr scaled = MakeCall("multiply", {x, RandomConstant({16, 1, 1}, 5)});
  return MakeCall("nn.relu", {MakeCall("add", {scaled, RandomConstant({16, 1, 1}, 6)})});
}

TEST(Fuse, WhatARoundedQuotientDividesByIsAPartOfTheKernel) {
  const auto parameters = [](double most) {
    const ExprPtr quotient = MakeCall("divide", {Input("x", {4, 40}), ScalarConstant(0.3F)});
    const relay::Attrs bounds{{"a_min", 0.0}, {"a_max", most}};
    const IRModule fused = Fused(MakeCall("clip", {MakeCall("round", {quotient})}, bounds));
    EXPECT_THAT(FunctionNames(fused), ElementsAre("divide+round+clip"));
    return FunctionCalls(fused)[0]->args.size();
  };
  EXPECT_EQ(parameters(255), 1U);
  EXPECT_EQ(parameters(std::numeric_limits<double>::infinity()), 2U) << "without a bound nothing may replace it";
  EXPECT_EQ(parameters(std::numeric_limits<float>::max()), 2U) << "which says that there is no bound";
}

ExprPtr KeptMean(const ExprPtr& x, int64_t axis) {
  return MakeCall("mean", {x}, {{"axis", std::vector<int64_t>{axis}}, {"keepdims", true}});
}

// A layer norm in the separate operators that exporters write.
ExprPtr Standardised(const ExprPtr& x, int64_t axis) {
  const ExprPtr centred = MakeCall("subtract", {x, KeptMean(x, axis)});
  const ExprPtr variance = KeptMean(MakeCall("multiply", {centred, centred}), axis);
  return MakeCall("divide", {centred, MakeCall("sqrt", {MakeCall("add", {variance, ScalarConstant(1e-5F)})})});
}

TEST(Fuse, ANormalisationIsOneKernel) {
  for (const int64_t axis : {2, 1}) {
    const ExprPtr norm = Standardised(Input("x", {2, 5, 40}), axis);
    EXPECT_THAT(FunctionNames(Fused(MakeCall("exp", {MakeCall("multiply", {norm, RandomConstant({40}, 3)})}))),
                ElementsAre("mean+subtract+multiply+mean+add+sqrt+divide+multiply+exp"));
  }
}

TEST(Fuse, ASumOfLinesThatOthersReadIsAKernelOfItsOwn) {
  const ExprPtr x = Input("x", {2, 5, 40}), mean = KeptMean(x, 2);
  const ExprPtr both = relay::MakeTuple({MakeCall("subtract", {x, mean}), mean});
  EXPECT_THAT(FunctionNames(Fused(both)), ElementsAre("mean", "subtract"));
}

TEST(Fuse, ReductionsOverOtherAxesAreKernelsOfTheirOwn) {
  const ExprPtr x = Input("x", {2, 5, 40});
  const ExprPtr sum = MakeCall("add", {MakeCall("subtract", {x, KeptMean(x, 2)}), KeptMean(x, 1)});
  EXPECT_THAT(FunctionNames(Fused(sum)), ElementsAre("mean", "mean+subtract+add"));
}

TEST(Fuse, ASumTakesTheCheapTermsThatItAdds) {
  const ExprPtr x = Input("x", {2, 5, 40});
  const auto sum = [](const ExprPtr& terms) {
    return MakeCall("sum", {terms}, {{"axis", std::vector<int64_t>{1, 2}}});
  };
  EXPECT_THAT(FunctionNames(Fused(sum(MakeCall("multiply", {x, x})))), ElementsAre("multiply+sum"));
  EXPECT_THAT(FunctionNames(Fused(sum(MakeCall("abs", {x})))), ElementsAre("abs+sum"));
  EXPECT_THAT(FunctionNames(Fused(sum(MakeCall("exp", {x})))), ElementsAre("exp", "sum"));
  const ExprPtr square = MakeCall("multiply", {x, x});
  EXPECT_THAT(FunctionNames(Fused(relay::MakeTuple({sum(square), square}))), ElementsAre("multiply", "sum"));
}

TEST(Fuse, FewLongLinesAreLeftToSeveralThreads) {
  const IRModule module = ModuleOf(Standardised(Input("x", {1, 2, 40000}), 2));
  EXPECT_EQ(FunctionCalls(Fuse(module, {.threads = 2})).size(), 1U);
  EXPECT_GT(FunctionCalls(Fuse(module, {.threads = 4})).size(), 1U);
}

TEST(Fuse, AComparisonJoinsTheChoiceMadeByIt) {
  const ExprPtr x = Input("x", {2, 40});
  const ExprPtr above = MakeCall("greater", {MakeCall("abs", {x}), ScalarConstant(0.5F)});
  EXPECT_THAT(FunctionNames(Fused(MakeCall("where", {above, MakeCall("exp", {x}), x}))),
              ElementsAre("abs+greater+exp+where"));
}

TEST(Fuse, ANumberThatFloatsAreComparedWithIsAPartOfTheKernel) {
  const ExprPtr x = Input("x", {2, 40});
  for (const auto& sides : {std::vector<ExprPtr>{x, ScalarConstant(0.5F)}, {ScalarConstant(0.5F), x}}) {
    const IRModule fused = Fused(MakeCall("where", {MakeCall("less", sides), x, ScalarConstant(2)}));
    EXPECT_EQ(FunctionCalls(fused)[0]->args.size(), 2U) << "x and what is chosen";
  }
}

// Otherwise memory would hold as many products as a matrix product has steps.
TEST(Fuse, ASumOfIntegersTakesTheProductsThatItAdds) {
  for (const std::string dtype : {"int32", "int64"}) {
    const auto whole = [&](const std::string& name, const Shape& shape) {
      return MakeCall("cast", {MakeCall("multiply", {Input(name, shape), ScalarConstant(9)})}, {{"dtype", dtype}});
    };
    const ExprPtr products = MakeCall("multiply", {whole("a", {6, 1, 70}), whole("b", {1, 5, 70})});
    const ExprPtr sum = MakeCall("sum", {products}, {{"axis", std::vector<int64_t>{-1}}});
    EXPECT_THAT(FunctionNames(Fused(sum)), Contains("multiply+sum"));
    const ExprPtr both =
        MakeCall("maximum", {products, MakeCall("reshape", {sum}, {{"newshape", std::vector<int64_t>{6, 5, 1}}})});
    EXPECT_THAT(FunctionNames(Fused(both)), Contains("sum")) << "what others use is not computed again";
  }
}

TEST(Fuse, APointwiseConvolutionTakesTheScaleShiftAndReluAheadOfIt) {
  const IRModule fused = Fused(Biased(Conv(Activated(Input("x", {2, 16, 6, 6})), 16, 8, 1, 1), 2));
  EXPECT_THAT(FunctionNames(fused), ElementsAre("multiply+add+nn.relu+nn.conv2d+nn.bias_add"));
  const relay::Call& call = *FunctionCalls(fused)[0];
  ASSERT_EQ(call.args.size(), 5U);  // data, scale, shift, weight, bias
  const auto anchor = AnchorOf(*relay::AsFunction(call.op));
  ASSERT_TRUE(anchor);
  EXPECT_EQ(anchor->workload.prologue, Prologue::kScaleShiftRelu);
  EXPECT_EQ(anchor->workload.data, (Shape{2, 16, 6, 6}));
}

TEST(Fuse, AnActivatedValueThatOthersReadIsNoPrologue) {
  const ExprPtr active = Activated(Input("x", {2, 16, 6, 6}));
  const IRModule fused =
      Fused(MakeCall("concatenate", {relay::MakeTuple({Conv(active, 16, 8, 1, 1), active})}, {{"axis", int64_t{1}}}));
  EXPECT_THAT(FunctionNames(fused), ElementsAre("multiply+add+nn.relu", "nn.conv2d", "concatenate"));
}

TEST(Fuse, AWiderKernelTakesNoPrologue) {
  const IRModule fused = Fused(Conv(Activated(Input("x", {2, 16, 6, 6})), 16, 8, 3, 1));
  EXPECT_THAT(FunctionNames(fused), ElementsAre("multiply+add+nn.relu", "nn.conv2d"));
}

TEST(Fuse, WithoutGroupsEachOperatorIsAFunction) {
  const ExprPtr x = Image();
  const IRModule fused = Fused(MakeCall("nn.relu", {Biased(Conv(x, 8, 8, 3, 1), 2)}), false);
  EXPECT_THAT(FunctionNames(fused), ElementsAre("nn.conv2d", "nn.bias_add", "nn.relu"));
}

TEST(Fuse, TheLaterOfTwoAnchorsTakesTheSum) {
  const ExprPtr x = Image();
  const ExprPtr sum = MakeCall("add", {Biased(Conv(x, 8, 8, 3, 1), 2), Biased(Conv(x, 8, 8, 1, 3), 4)});
  EXPECT_THAT(FunctionNames(Fused(sum)), ElementsAre("nn.conv2d+nn.bias_add", "nn.conv2d+nn.bias_add+add"));
}

TEST(Fuse, AValueWithTwoUsersEndsTheEpilogue) {
  const ExprPtr conv = Conv(Image(), 8, 8, 3, 1);
  const ExprPtr sum = MakeCall("multiply", {MakeCall("nn.relu", {conv}), MakeCall("sigmoid", {conv})});
  EXPECT_THAT(FunctionNames(Fused(sum)), ElementsAre("nn.conv2d", "nn.relu+sigmoid+multiply"));
}

TEST(Fuse, AResultIsNotHiddenInAGroup) {
  const ExprPtr conv = Conv(Image(), 8, 8, 3, 1);
  const IRModule fused = Fused(relay::MakeTuple({conv, MakeCall("nn.relu", {conv})}));
  EXPECT_THAT(FunctionNames(fused), ElementsAre("nn.conv2d", "nn.relu"));
}

TEST(Fuse, ActivationBeforeTheSumKeepsItsOrder) {
  const ExprPtr x = Image();
  const ExprPtr sum = MakeCall("add", {MakeCall("nn.relu", {Conv(x, 8, 8, 3, 1)}), x});
  EXPECT_THAT(FunctionNames(Fused(sum)), ElementsAre("nn.conv2d+nn.relu", "add"));
}

TEST(Fuse, ABroadcastSumIsNoResidual) {
  const ExprPtr sum = MakeCall("add", {Conv(Image(), 8, 8, 3, 1), Input("s", {2, 8, 1, 1})});
  EXPECT_THAT(FunctionNames(Fused(sum)), ElementsAre("nn.conv2d", "add"));
}

TEST(Fuse, APoolTakesTheChainBehindIt) {
  const ExprPtr pool = MakeCall("nn.max_pool2d", {Image()},
                                {{"pool_size", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 2}}});
  const ExprPtr scaled = MakeCall("multiply", {pool, RandomConstant({8, 1, 1}, 1)});
  EXPECT_THAT(FunctionNames(Fused(MakeCall("nn.relu", {scaled}))), ElementsAre("nn.max_pool2d+multiply+nn.relu"));
}

TEST(Fuse, ASmallGateIsNotComputedPerPixel) {
  const ExprPtr x = Image();
  const auto gated = [&](const ExprPtr& data) {
    const ExprPtr gate = MakeCall("sigmoid", {MakeCall("nn.global_avg_pool2d", {data})});
    return FunctionNames(Fused(MakeCall("multiply", {x, gate})));
  };
  EXPECT_THAT(gated(Input("y", {2, 8, 3, 3})), ElementsAre("nn.global_avg_pool2d+sigmoid", "multiply"));
  EXPECT_THAT(gated(x), ElementsAre("nn.global_avg_pool2d+sigmoid+multiply")) << "once for each line of pixels";
}

TEST(Fuse, APoolReadsWhatItTakesTheLeastOf) {
  const ExprPtr least = MakeCall("nn.global_max_pool2d", {MakeCall("negative", {Image()})});
  EXPECT_THAT(FunctionNames(Fused(MakeCall("negative", {least}))),
              ElementsAre("negative+nn.global_max_pool2d+negative"));
  const ExprPtr both = MakeCall("negative", {Image()});
  const ExprPtr pool = MakeCall("nn.global_max_pool2d", {both});
  // The pool's operand has another reader too.
  EXPECT_EQ(FunctionNames(Fused(MakeCall("multiply", {both, pool})))[0], "negative");
}

TEST(Fuse, KnownColumnsAreTakenOfTheRowsThatAreWanted) {
  const ExprPtr places = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {4}, {0, 0, 5, 2}));
  const auto take = [&](const ExprPtr& x, int64_t axis) { return MakeCall("take", {x, places}, {{"axis", axis}}); };
  const ExprPtr image = take(take(Image(), 2), 3);
  EXPECT_THAT(FunctionNames(Fused(image)), ElementsAre("take+take"));
  EXPECT_THAT(FunctionNames(Fused(MakeCall("add", {image, Input("y", {2, 8, 4, 4})}))), ElementsAre("take+take+add"));
  EXPECT_THAT(FunctionNames(Fused(take(take(Image(), 3), 2))), ElementsAre("take", "take"));
  EXPECT_THAT(FunctionNames(Fused(take(take(Image(), 1), 2))), ElementsAre("take", "take"));
  EXPECT_THAT(FunctionNames(Fused(take(Input("z", {6, 2}), 0))), ElementsAre("take"));
}

// A blend of rows is computed at the columns that are read of it, unless most of them are.
TEST(Fuse, ABlendOfRowsIsComputedAtFewColumns) {
  const auto places = [](int64_t count) {
    std::vector<int64_t> all(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) all[static_cast<size_t>(i)] = i;
    return relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {count}, all));
  };
  const auto take = [&](const ExprPtr& x, int64_t axis, int64_t count) {
    return MakeCall("take", {x, places(count)}, {{"axis", axis}});
  };
  const auto shrunk = [&](int64_t columns, const char* blend) {
    const ExprPtr image = Input("image", {1, 3, 20, 64});
    const ExprPtr rows = MakeCall(blend, {take(image, 2, 5), take(image, 2, 5)});
    return FunctionNames(Fused(MakeCall("add", {take(rows, 3, columns), take(rows, 3, columns)}))).size();
  };
  EXPECT_EQ(shrunk(16, "add"), 1U);
  EXPECT_EQ(shrunk(17, "add"), 2U);
  EXPECT_EQ(shrunk(17, "multiply"), 2U);
}

TEST(Fuse, TuplesGoInFieldByField) {
  const ExprPtr x = Image();
  const ExprPtr joined = MakeCall("concatenate", {relay::MakeTuple({x, MakeCall("exp", {x})})}, {{"axis", int64_t{1}}});
  const ExprPtr halves =
      MakeCall("split", {joined}, {{"indices_or_sections", std::vector<int64_t>{8}}, {"axis", int64_t{1}}});
  const ExprPtr sum = MakeCall("add", {relay::MakeTupleGetItem(halves, 0), relay::MakeTupleGetItem(halves, 1)});
  const IRModule fused = Fused(sum);
  EXPECT_THAT(FunctionNames(fused), ElementsAre("exp", "concatenate", "split", "add"));
  EXPECT_EQ(FunctionCalls(fused)[1]->args.size(), 2U);
}

}  // namespace
}  // namespace hone::testing
