#include "compiler/passes/rules/canonicalise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/relay/infer_type.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Checks that the results are unchanged and returns the remaining operators.
std::vector<std::string> Canonical(const ExprPtr& body, int level = 3) {
  const IRModule module = ModuleOf(body);
  const IRModule after = relay::InferType(Canonicalise(module, level));
  ExpectSameMeaning(module, after);
  return OpNames(after);
}

// Zero padding around the plane: one row above, two below, three columns to the right.
ExprPtr Padded(const ExprPtr& data, double value = 0) {
  return MakeCall("nn.pad", {data},
                  {{"pad_width", std::vector<int64_t>{0, 0, 0, 0, 1, 2, 0, 3}}, {"pad_value", value}});
}

ExprPtr Image() { return Input("x", {2, 4, 6, 6}); }

TEST(Canonicalise, ShapeOperatorsAreReshapes) {
  const ExprPtr flat = MakeCall("nn.batch_flatten", {MakeCall("nn.relu", {Image()})});
  EXPECT_THAT(Canonical(flat, 0), ElementsAre("nn.relu", "reshape"));
}

TEST(Canonicalise, JoinsReshapesAndDropsOnesBackToTheFirstShape) {
  const ExprPtr flat = MakeCall("nn.batch_flatten", {Image()});
  EXPECT_THAT(Canonical(MakeCall("reshape", {flat}, {{"newshape", std::vector<int64_t>{4, 72}}})),
              ElementsAre("reshape"));
  EXPECT_THAT(Canonical(MakeCall("reshape", {flat}, {{"newshape", std::vector<int64_t>{2, 4, 6, 6}}})), IsEmpty());
}

TEST(Canonicalise, DropsWhatChangesNothing) {
  ExprPtr x = MakeCall("transpose", {Image()}, {{"axes", std::vector<int64_t>{0, 1, 2, 3}}});
  x = MakeCall("concatenate", {relay::MakeTuple({x})}, {{"axis", int64_t{1}}});
  x = MakeCall("cast", {x}, {{"dtype", std::string("float32")}});
  EXPECT_THAT(Canonical(x), IsEmpty());
}

TEST(Canonicalise, SmallWholePowersAreProducts) {
  const auto power = [](float exponent) { return MakeCall("power", {Image(), ScalarConstant(exponent)}); };
  EXPECT_THAT(Canonical(power(1)), IsEmpty());
  EXPECT_THAT(Canonical(power(2)), ElementsAre("multiply"));
  EXPECT_THAT(Canonical(power(3)), ElementsAre("multiply", "multiply"));
  EXPECT_THAT(Canonical(power(7)), ElementsAre("multiply", "multiply", "multiply", "multiply"));
  EXPECT_THAT(Canonical(power(-1)), ElementsAre("divide"));
  EXPECT_THAT(Canonical(MakeCall("power", {MakeCall("abs", {Image()}), ScalarConstant(0.5F)})),
              ElementsAre("abs", "power"));
  // The exponent's broadcast makes the base larger, so the power stays.
  const ExprPtr wide = MakeCall("power", {Input("row", {6}), RandomConstant({1, 1}, 1)});
  EXPECT_THAT(OpNames(relay::InferType(Canonicalise(ModuleOf(wide), 3))), ElementsAre("power"));
}

TEST(Canonicalise, PatchesOfASmallImageAreChannelsOfAPointwiseConvolution) {
  const auto conv = [](int64_t outputs, int64_t stride) {
    return MakeCall("nn.conv2d", {Input("x", {1, 3, 8, 12}), RandomConstant({outputs, 3, 4, 6}, 3)},
                    {{"strides", std::vector<int64_t>{4, stride}},
                     {"padding", std::vector<int64_t>{0, 0, 0, 0}},
                     {"channels", outputs},
                     {"kernel_size", std::vector<int64_t>{4, 6}}});
  };
  EXPECT_THAT(Canonical(conv(32, 6)), ElementsAre("reshape", "transpose", "reshape", "nn.conv2d"));
  EXPECT_THAT(Canonical(conv(31, 6)), ElementsAre("nn.conv2d")) << "the image is not small beside the weight";
  EXPECT_THAT(Canonical(conv(32, 3)), ElementsAre("nn.conv2d")) << "windows overlap";
}

TEST(Canonicalise, AQuotientByASharedRootIsAProduct) {
  const auto quotient = [](const Shape& root) {
    return MakeCall("divide", {Input("x", {4, 8}), MakeCall("sqrt", {MakeCall("abs", {Input("y", root)})})});
  };
  EXPECT_THAT(Canonical(quotient({4, 1})), ElementsAre("abs", "sqrt", "divide", "multiply"));
  EXPECT_THAT(Canonical(quotient({4, 8})), ElementsAre("abs", "sqrt", "divide"));
}

TEST(Canonicalise, SplitsLargeWindowsIntoColumnsAndRows) {
  const auto pool = [](const char* op, std::vector<int64_t> size, std::vector<int64_t> strides, bool padding_counts) {
    relay::Attrs attrs{{"pool_size", size},
                       {"strides", strides},
                       {"dilation", std::vector<int64_t>{1, 2}},
                       {"padding", std::vector<int64_t>{3, 2, 4, 1}},
                       {"ceil_mode", true}};
    if (std::string(op) == "nn.avg_pool2d") attrs.Set("count_include_pad", padding_counts);
    return MakeCall(op, {Input("x", {2, 3, 17, 23})}, attrs);
  };
  for (const std::vector<int64_t>& strides : {std::vector<int64_t>{1, 1}, {2, 1}}) {
    EXPECT_THAT(Canonical(pool("nn.max_pool2d", {7, 5}, strides, false)),
                ElementsAre("nn.max_pool2d", "nn.max_pool2d"));
    for (const bool counts : {false, true}) {
      EXPECT_THAT(Canonical(pool("nn.avg_pool2d", {7, 5}, strides, counts)),
                  ElementsAre("nn.avg_pool2d", "nn.avg_pool2d"));
    }
  }
  EXPECT_THAT(Canonical(pool("nn.max_pool2d", {3, 3}, {1, 1}, false)), ElementsAre("nn.max_pool2d"));
  EXPECT_THAT(Canonical(pool("nn.max_pool2d", {9, 1}, {1, 1}, false)), ElementsAre("nn.max_pool2d"));
}

TEST(Canonicalise, TheBiasOfAReshapedProductIsAddedBeforeTheReshape) {
  const auto sum = [](const Shape& shape, const Shape& bias) {
    const ExprPtr dense = MakeCall("nn.dense", {Input("x", {6, 5}), RandomConstant({4, 5}, 1)});
    return MakeCall("add", {MakeCall("reshape", {dense}, {{"newshape", shape}}), RandomConstant(bias, 2)});
  };
  EXPECT_THAT(Canonical(sum({2, 3, 4}, {4})), ElementsAre("nn.dense", "nn.bias_add", "reshape"));
  EXPECT_THAT(Canonical(sum({1, 6, 4}, {1, 1, 4})), ElementsAre("nn.dense", "nn.bias_add", "reshape"));
  EXPECT_THAT(Canonical(sum({2, 3, 4}, {3, 4})), ElementsAre("nn.dense", "reshape", "add"));
  EXPECT_THAT(Canonical(sum({2, 4, 3}, {3})), ElementsAre("nn.dense", "reshape", "add"));
}

TEST(Canonicalise, WhatFollowsAReshapedProductGoesBeforeTheReshape) {
  const ExprPtr dense = MakeCall("nn.dense", {Input("x", {6, 5}), RandomConstant({4, 5}, 1)});
  const auto reshaped = [](const ExprPtr& x) {
    return MakeCall("reshape", {x}, {{"newshape", std::vector<int64_t>{2, 3, 4}}});
  };
  const ExprPtr biased = MakeCall("add", {reshaped(dense), RandomConstant({4}, 2)});
  EXPECT_THAT(Canonical(MakeCall("nn.relu", {biased})), ElementsAre("nn.dense", "nn.bias_add", "nn.relu", "reshape"));
  const ExprPtr residual = Input("r", {2, 3, 4});
  for (const ExprPtr& sum : {MakeCall("add", {biased, residual}), MakeCall("add", {residual, biased})}) {
    EXPECT_THAT(Canonical(MakeCall("tanh", {sum})),
                ElementsAre("nn.dense", "nn.bias_add", "reshape", "add", "tanh", "reshape"));
  }
  const ExprPtr row = Input("r", {4});
  EXPECT_THAT(Canonical(MakeCall("add", {biased, row})), ElementsAre("nn.dense", "nn.bias_add", "reshape", "add"));
}

TEST(Canonicalise, AddOfAConstantPerChannelIsABias) {
  for (const Shape& shape : {Shape{8, 1, 1}, Shape{1, 8, 1, 1}, Shape{}}) {
    const ExprPtr sum = MakeCall("add", {RandomConstant(shape, 2), Conv(Image(), 4, 8, 3, 1)});
    EXPECT_THAT(Canonical(sum), ElementsAre("nn.conv2d", "nn.bias_add")) << ShapeText(shape);
  }
  const ExprPtr dense = MakeCall("nn.dense", {Input("x", {3, 6}), RandomConstant({4, 6}, 1)});
  EXPECT_THAT(Canonical(MakeCall("add", {dense, RandomConstant({4}, 2)})), ElementsAre("nn.dense", "nn.bias_add"));
}

TEST(Canonicalise, AddAlongTheWidthIsNoBias) {
  const ExprPtr sum = MakeCall("add", {Conv(Image(), 4, 6, 3, 1), RandomConstant({6}, 2)});
  EXPECT_THAT(Canonical(sum), ElementsAre("nn.conv2d", "add"));
}

TEST(Canonicalise, TapsThatSeeOnlyPaddingGo) {
  using Ints = std::vector<int64_t>;
  const auto kernel = [](const Shape& image, const Ints& size, const Ints& dilation, const Ints& strides) {
    const Ints padding{size[0] / 2 * dilation[0], size[1] / 2 * dilation[1], size[0] / 2, size[1] / 2};
    const IRModule module =
        ModuleOf(MakeCall("nn.conv2d", {Input("x", image), RandomConstant({3, 2, size[0], size[1]}, 1)},
                          {{"padding", padding}, {"dilation", dilation}, {"strides", strides}}));
    const IRModule after = relay::InferType(Canonicalise(module, 3));
    ExpectSameMeaning(module, after);
    const Shape& weight = relay::AsCall(after.main->body)->args[1]->type->shape;
    return Ints(weight.begin() + 2, weight.end());
  };
  EXPECT_EQ(kernel({1, 2, 1, 1}, {3, 3}, {1, 1}, {1, 1}), (Ints{1, 1}));
  EXPECT_EQ(kernel({2, 2, 1, 1}, {5, 3}, {1, 1}, {1, 2}), (Ints{1, 1}));
  EXPECT_EQ(kernel({1, 2, 2, 9}, {7, 7}, {1, 1}, {1, 1}), (Ints{3, 7}));
  EXPECT_EQ(kernel({1, 2, 3, 3}, {3, 3}, {1, 1}, {1, 1}), (Ints{3, 3}));
}

TEST(Canonicalise, ZerosAroundThePlaneAreTheConvolutionsPadding) {
  EXPECT_THAT(Canonical(Conv(Padded(Image()), 4, 8, 3, 1)), ElementsAre("nn.conv2d"));
  EXPECT_THAT(Canonical(Conv(Padded(Image(), 1.5), 4, 8, 3, 1)), ElementsAre("nn.pad", "nn.conv2d"));
}

TEST(Canonicalise, AWideBorderOfALongFilterIsWrittenOut) {
  const auto rows = [](int64_t taps, int64_t padding, bool apart) {
    ExprPtr x = Input("x", {1, 1, 1, 300});
    const std::vector<int64_t> width{0, 0, 0, 0, 0, 0, padding, padding};
    if (apart) x = MakeCall("nn.pad", {x}, {{"pad_width", width}, {"pad_value", 0.0}});
    return MakeCall("nn.conv2d", {x, RandomConstant({2, 1, 1, taps}, 1)},
                    {{"padding", std::vector<int64_t>{0, apart ? 0 : padding, 0, apart ? 0 : padding}}});
  };
  for (const bool apart : {false, true}) {
    EXPECT_THAT(Canonical(rows(200, 100, apart)), ElementsAre("nn.pad", "nn.conv2d"));
    EXPECT_THAT(Canonical(rows(40, 100, apart)), ElementsAre("nn.conv2d"));
  }
}

TEST(Canonicalise, AnAveragePoolTakesZerosOnlyIfItCountsThem) {
  const auto pool = [](bool counts, int64_t pad) {
    return MakeCall("nn.avg_pool2d", {Padded(Image())},
                    {{"pool_size", std::vector<int64_t>{3, 3}},
                     {"padding", std::vector<int64_t>{pad, pad, pad, pad}},
                     {"count_include_pad", counts}});
  };
  EXPECT_THAT(Canonical(pool(false, 0)), ElementsAre("nn.avg_pool2d"));
  EXPECT_THAT(Canonical(pool(true, 1)), ElementsAre("nn.avg_pool2d"));
  EXPECT_THAT(Canonical(pool(false, 1)), ElementsAre("nn.pad", "nn.avg_pool2d"));
}

TEST(Canonicalise, MeanOverThePlaneIsAPool) {
  const relay::Attrs kept{{"axis", std::vector<int64_t>{-1, 2}}, {"keepdims", true}};
  EXPECT_THAT(Canonical(MakeCall("mean", {Image()}, kept)), ElementsAre("nn.global_avg_pool2d"));
  const relay::Attrs dropped{{"axis", std::vector<int64_t>{2, 3}}};
  EXPECT_THAT(Canonical(MakeCall("mean", {Image()}, dropped)), ElementsAre("nn.global_avg_pool2d", "reshape"));
  const relay::Attrs other{{"axis", std::vector<int64_t>{1, 2}}};
  EXPECT_THAT(Canonical(MakeCall("mean", {Image()}, other)), ElementsAre("mean"));
}

TEST(Canonicalise, HardSwishInItsThreeSpellings) {
  const ExprPtr x = Image();
  const ExprPtr gate = MakeCall("clip", {MakeCall("add", {x, ScalarConstant(3)})}, {{"a_min", 0.0}, {"a_max", 6.0}});
  const ExprPtr six = ScalarConstant(6);
  EXPECT_THAT(Canonical(MakeCall("divide", {MakeCall("multiply", {x, gate}), six})), ElementsAre("nn.hard_swish"));
  EXPECT_THAT(Canonical(MakeCall("multiply", {MakeCall("divide", {gate, six}), x})), ElementsAre("nn.hard_swish"));
  const ExprPtr sigmoid = MakeCall("nn.hard_sigmoid", {x}, {{"alpha", 1.0 / 6}, {"beta", 0.5}});
  EXPECT_THAT(Canonical(MakeCall("multiply", {x, sigmoid})), ElementsAre("nn.hard_swish"));
}

TEST(Canonicalise, SiluInBothOrders) {
  const ExprPtr x = Image();
  EXPECT_THAT(Canonical(MakeCall("multiply", {x, MakeCall("sigmoid", {x})})), ElementsAre("nn.silu"));
  EXPECT_THAT(Canonical(MakeCall("multiply", {MakeCall("sigmoid", {x}), x})), ElementsAre("nn.silu"));
  const ExprPtr other = MakeCall("exp", {x});
  EXPECT_EQ(Canonical(MakeCall("multiply", {other, MakeCall("sigmoid", {x})})).back(), "multiply");
}

TEST(Canonicalise, MishAsSoftplusAndTanh) {
  const ExprPtr x = Image();
  const auto gate = [&](const ExprPtr& of) {
    const ExprPtr decay = MakeCall("exp", {MakeCall("negative", {MakeCall("abs", {of})})});
    return MakeCall("tanh", {MakeCall("add", {MakeCall("nn.relu", {x}), MakeCall("log1p", {decay})})});
  };
  EXPECT_THAT(Canonical(MakeCall("multiply", {x, gate(x)})), ElementsAre("nn.mish"));
  EXPECT_EQ(Canonical(MakeCall("multiply", {x, gate(MakeCall("exp", {x}))})).back(), "multiply");
}

TEST(Canonicalise, GeluInItsSpellings) {
  const ExprPtr x = Image(), half = ScalarConstant(0.5);
  const auto gate = [](const ExprPtr& argument) {
    return MakeCall("add", {MakeCall("erf", {argument}), ScalarConstant(1)});
  };
  const ExprPtr quotient = gate(MakeCall("divide", {x, ScalarConstant(std::sqrt(2.0))}));
  const ExprPtr product = gate(MakeCall("multiply", {x, ScalarConstant(std::sqrt(0.5))}));
  EXPECT_THAT(Canonical(MakeCall("multiply", {MakeCall("multiply", {x, quotient}), half})), ElementsAre("nn.gelu"));
  EXPECT_THAT(Canonical(MakeCall("multiply", {MakeCall("multiply", {x, half}), product})), ElementsAre("nn.gelu"));
  EXPECT_THAT(Canonical(MakeCall("divide", {MakeCall("multiply", {product, x}), ScalarConstant(2)})),
              ElementsAre("nn.gelu"));
  const ExprPtr plain = gate(x);
  EXPECT_EQ(Canonical(MakeCall("multiply", {MakeCall("multiply", {x, plain}), half})).back(), "multiply");
}

TEST(Canonicalise, AlmostHardSwishStays) {
  const ExprPtr x = Image();
  const ExprPtr gate = MakeCall("clip", {MakeCall("add", {x, ScalarConstant(3)})}, {{"a_min", 0.0}, {"a_max", 6.0}});
  EXPECT_EQ(Canonical(MakeCall("multiply", {x, gate})).back(), "multiply");
}

TEST(Canonicalise, SharesCommonSubexpressions) {
  const ExprPtr x = Image();
  const ExprPtr sum = MakeCall("add", {MakeCall("exp", {x}), MakeCall("exp", {x})});
  EXPECT_THAT(Canonical(sum), ElementsAre("exp", "add"));
}

TEST(Canonicalise, DoesNotShareCallsThatDifferPastPrintedDigits) {
  const ExprPtr x = Image();
  const auto leaky = [&](double alpha) { return MakeCall("nn.leaky_relu", {x}, {{"alpha", alpha}}); };
  EXPECT_EQ(Canonical(MakeCall("add", {leaky(0.1), leaky(0.10000000001)})).size(), 3U);
}

}  // namespace
}  // namespace hone::testing
