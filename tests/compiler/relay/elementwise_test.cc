#include <cmath>
#include <limits>

#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Unary, ActivationsPassNan) {
  const Tensor x = Floats({4}, {-2, 0, 3, kNan});
  EXPECT_THAT(RunFor("nn.relu", {x}), Near({0, 0, 3, kNan}));
  EXPECT_THAT(RunFor("clip", {x}, {{"a_min", -1.0}, {"a_max", 2.0}}), Near({-1, 0, 2, kNan}));
  EXPECT_THAT(RunFor("nn.leaky_relu", {x}, {{"alpha", 0.1}}), Near({-0.2, 0, 3, kNan}));
}

TEST(Unary, HardActivations) {
  const Tensor x = Floats({5}, {-4, -1, 0, 2, 5});
  EXPECT_THAT(RunFor("nn.hard_swish", {x}), Near({0, -1.0 / 3, 0, 5.0 / 3, 5}));
  EXPECT_THAT(RunFor("nn.silu", {Floats({3}, {-2, 0, 2})}), Near({-0.238405844, 0, 1.761594156}));
  EXPECT_THAT(RunFor("nn.gelu", {Floats({3}, {-1, 0, 1})}), Near({-0.158655254, 0, 0.841344746}));
  EXPECT_THAT(RunFor("nn.hard_sigmoid", {x}), Near({0, 0.3, 0.5, 0.9, 1}));
}

TEST(Unary, MathFunctions) {
  const Tensor x = Floats({3}, {0.25, 1, 4});
  EXPECT_THAT(RunFor("sigmoid", {x}), Near({0.562177, 0.731059, 0.982014}));
  EXPECT_THAT(RunFor("tanh", {x}), Near({0.244919, 0.761594, 0.999329}));
  EXPECT_THAT(RunFor("exp", {x}), Near({1.284025, 2.718282, 54.598150}));
  EXPECT_THAT(RunFor("log", {x}), Near({-1.386294, 0, 1.386294}));
  EXPECT_THAT(RunFor("sqrt", {x}), ElementsAre(0.5, 1, 2));
  EXPECT_THAT(RunFor("erf", {Floats({4}, {-2, -0.5, 0, 1})}), Near({-0.995322, -0.5205, 0, 0.842701}));
  EXPECT_THAT(RunFor("negative", {x}), ElementsAre(-0.25, -1, -4));
  EXPECT_THAT(RunFor("abs", {Floats({2}, {-3, 2})}), ElementsAre(3, 2));
  EXPECT_THAT(RunFor("sign", {Floats({4}, {-3, 0, 2, kNan})}), Near({-1, 0, 1, kNan}));
  EXPECT_THAT(RunFor("expm1", {x}), Near({0.284025, 1.718282, 53.598150}));
  EXPECT_THAT(RunFor("log1p", {x}), Near({0.223144, 0.693147, 1.609438}));
  EXPECT_THAT(RunFor("sin", {x}), Near({0.247404, 0.841471, -0.756802}));
  EXPECT_THAT(RunFor("cos", {x}), Near({0.968912, 0.540302, -0.653644}));
  EXPECT_THAT(RunFor("atan", {x}), Near({0.244979, 0.785398, 1.325818}));
  EXPECT_THAT(RunFor("nn.mish", {Floats({3}, {-1, 0, 2})}), Near({-0.303401, 0, 1.943959}));
}

TEST(Unary, RoundsHalvesToEven) {
  const Tensor x = Floats({6}, {-2.5, -1.5, -0.25, 0.5, 1.5, 2.75});
  EXPECT_THAT(RunFor("round", {x}), ElementsAre(-2, -2, 0, 0, 2, 3));
  EXPECT_THAT(RunFor("floor", {x}), ElementsAre(-3, -2, -1, 0, 1, 2));
  EXPECT_THAT(RunFor("ceil", {x}), ElementsAre(-2, -1, 0, 1, 2, 3));
  EXPECT_THAT(RunFor("trunc", {x}), ElementsAre(-2, -1, 0, 0, 1, 2));
}

TEST(Binary, RemaindersTakeTheSignThatTheirNamesSay) {
  const Tensor a = Int64s({4}, {7, -7, 7, -7}), b = Int64s({4}, {3, 3, -3, -3});
  EXPECT_THAT(RunFor("mod", {a, b}), ElementsAre(1, -1, 1, -1));
  EXPECT_THAT(RunFor("floor_mod", {a, b}), ElementsAre(1, 2, -2, -1));
  EXPECT_THAT(RunFor("mod", {Floats({2}, {-4.5, 5}), Floats({1}, {2})}), ElementsAre(-0.5, 1));
  EXPECT_THAT(RunFor("floor_mod", {Floats({2}, {-4.5, 5}), Floats({1}, {2})}), ElementsAre(1.5, 1));
  EXPECT_THROW(RunOp("mod", {Int64s({1}, {1}), Int64s({1}, {0})}), Error);
}

TEST(Binary, BroadcastsAsNumpyDoes) {
  const Tensor column = Floats({2, 1}, {1, 2});
  const Tensor row = Floats({3}, {10, 20, 40});
  EXPECT_THAT(RunFor("add", {column, row}), ElementsAre(11, 21, 41, 12, 22, 42));
  EXPECT_THAT(RunFor("subtract", {column, row}), ElementsAre(-9, -19, -39, -8, -18, -38));
  EXPECT_THAT(RunFor("multiply", {column, row}), ElementsAre(10, 20, 40, 20, 40, 80));
  EXPECT_THAT(RunFor("divide", {row, column}), ElementsAre(10, 20, 40, 5, 10, 20));
  EXPECT_THAT(RunFor("power", {Floats({3}, {2, 3, 4}), Tensor::Scalar(2)}), ElementsAre(4, 9, 16));
}

TEST(Binary, ExtremaPassNanFromEitherSide) {
  const Tensor a = Floats({3}, {1, kNan, 3});
  const Tensor b = Floats({3}, {2, 2, kNan});
  EXPECT_THAT(RunFor("maximum", {a, b}), Near({2, kNan, kNan}));
  EXPECT_THAT(RunFor("minimum", {a, b}), Near({1, kNan, kNan}));
}

TEST(Binary, IntegersAreExactAndWrap) {
  const int64_t big = (int64_t{1} << 53) + 1;
  const int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(RunOp("add", {Int64s({1}, {big}), Int64s({1}, {2})})[0].data<int64_t>()[0], big + 2);
  EXPECT_EQ(RunOp("divide", {Int64s({1}, {-7}), Int64s({1}, {2})})[0].data<int64_t>()[0], -3);
  EXPECT_EQ(RunOp("divide", {Int64s({1}, {least}), Int64s({1}, {-1})})[0].data<int64_t>()[0], least);
  EXPECT_EQ(RunOp("power", {Int64s({1}, {-3}), Int64s({1}, {3})})[0].data<int64_t>()[0], -27);
  EXPECT_THROW(RunOp("divide", {Int64s({1}, {1}), Int64s({1}, {0})}), Error);
}

TEST(Bits, AreThoseOfTheirType) {
  const auto bytes = [](DType dtype, const std::vector<int>& values) {
    Tensor tensor(dtype, {static_cast<int64_t>(values.size())});
    for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, values[static_cast<size_t>(i)]);
    return tensor;
  };
  const Tensor a = bytes(DType::kInt32, {12, -1}), b = bytes(DType::kInt32, {10, 6});
  EXPECT_THAT(RunFor("bitwise_and", {a, b}), ElementsAre(8, 6));
  EXPECT_THAT(RunFor("bitwise_or", {a, b}), ElementsAre(14, -1));
  EXPECT_THAT(RunFor("bitwise_xor", {a, b}), ElementsAre(6, -7));
  EXPECT_THAT(RunFor("bitwise_not", {a}), ElementsAre(-13, 0));
  EXPECT_THAT(RunFor("bitwise_not", {bytes(DType::kUInt8, {1})}), ElementsAre(254));
  // The top bits are lost; from the type's width on only the sign remains.
  const Tensor by = bytes(DType::kUInt8, {1, 8, 200}), high = bytes(DType::kUInt8, {255, 255, 255});
  EXPECT_THAT(RunFor("left_shift", {high, by}), ElementsAre(254, 0, 0));
  EXPECT_THAT(RunFor("right_shift", {high, by}), ElementsAre(127, 0, 0));
  const Tensor low = bytes(DType::kInt8, {-5, -5, 5}), steps = bytes(DType::kInt8, {1, 8, -1});
  EXPECT_THAT(RunFor("right_shift", {low, steps}), ElementsAre(-3, -1, 0));
  EXPECT_THAT(RunFor("left_shift", {low, steps}), ElementsAre(-10, 0, 0));
  EXPECT_THAT(ResultType("bitwise_and", {TensorType({2}), TensorType({2})}),
              HasSubstr("lhs is float32, it must be int8, uint8, int32 or int64"));
  EXPECT_THAT(ResultType("left_shift", {TensorType({2}, DType::kInt8), TensorType({2}, DType::kInt32)}),
              HasSubstr("rhs is int32, it must be int8 like lhs"));
}

TEST(BinaryType, UnknownDimsGiveWayToKnownOnes) {
  EXPECT_EQ(ResultType("add", {TensorType({kAnyDim, 1, 4}), TensorType({3, kAnyDim, 1})}),
            "Tensor[(3, ?, 4), float32]");
  EXPECT_THAT(ResultType("add", {TensorType({2}), TensorType({3})}), HasSubstr("dims 2 and 3 do not broadcast"));
  EXPECT_THAT(ResultType("add", {TensorType({2}), TensorType({2}, DType::kInt64)}),
              HasSubstr("rhs is int64, it must be float32 like lhs"));
}

TEST(BinaryType, OperandsShareALayoutUnlessBroadcast) {
  const TypePtr blocked = TensorType({1, 20, 2, 2}, DType::kFloat32, "NCHW16c");
  EXPECT_EQ(ResultType("add", {blocked, blocked}), "Tensor[(1, 20, 2, 2), float32, NCHW16c]");
  EXPECT_EQ(ResultType("multiply", {TensorType({20, 1, 1}), blocked}), "Tensor[(1, 20, 2, 2), float32, NCHW16c]");
  EXPECT_THAT(ResultType("add", {blocked, TensorType({1, 20, 2, 2})}),
              HasSubstr("operands lie as NCHW16c and row-major"));
}

TEST(PerChannel, BiasBatchNormAndPrelu) {
  const Tensor x = Saw({1, 2, 1, 2}, 7, 3);  // -3 -2 | -1 0
  EXPECT_THAT(RunFor("nn.bias_add", {x, Floats({2}, {10, 20})}), ElementsAre(7, 8, 19, 20));
  EXPECT_THAT(RunFor("nn.prelu", {x, Floats({2}, {0.5, 2})}), ElementsAre(-1.5, -1, -2, 0));
  const auto normal = RunOp(
      "nn.batch_norm", {x, Floats({2}, {2, -1}), Floats({2}, {0.5, 1}), Floats({2}, {1, -2}), Floats({2}, {4, 0.25})},
      {{"epsilon", 0.01}});
  EXPECT_THAT(Values(normal[0]), Near({-3.495009, -2.496257, -0.961161, -2.922323}));
  EXPECT_THAT(Values(normal[1]), ElementsAre(1, -2));
}

TEST(PerChannel, ParametersTakeTheirTypesFromTheData) {
  const FunctionPtr bias = CallFunction("nn.bias_add", {TensorType({4, 6}), nullptr}, {{"axis", int64_t{-1}}});
  EXPECT_EQ(ToText(bias->params[1]->type), "Tensor[(6), float32]");
  const TypePtr x = TensorType({1, 8, 2, 2}, DType::kFloat32, "NCHW8c");
  EXPECT_EQ(ResultType("nn.batch_norm", {x, nullptr, nullptr, nullptr, nullptr}),
            "(Tensor[(1, 8, 2, 2), float32, NCHW8c], Tensor[(8), float32], Tensor[(8), float32])");
  EXPECT_THAT(ResultType("nn.bias_add", {x, TensorType({7})}), HasSubstr("bias has 7 elements, the data's axis has 8"));
}

TEST(Lrn, DividesByAWindowOfChannels) {
  const Attrs attrs{{"size", int64_t{3}}, {"alpha", 0.3}, {"beta", 0.5}, {"bias", 1.0}};
  EXPECT_THAT(RunFor("nn.lrn", {Saw({1, 5, 1, 2}, 7, 3)}, attrs),
              Near({-2.12132, -1.690308, -0.690066, 0, 0.690066, 1.318761, 1.936492, -1.936492, -1.318761, -0.707107}));
}

TEST(Dropout, PassesDataAndAMaskOfOnes) {
  const auto results = RunOp("nn.dropout", {Floats({2}, {3, -4})});
  EXPECT_THAT(Values(results[0]), ElementsAre(3, -4));
  EXPECT_THAT(Values(results[1]), ElementsAre(1, 1));
}

}  // namespace
}  // namespace hone::relay
