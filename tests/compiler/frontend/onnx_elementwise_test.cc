// Operators that become chains of simpler ones, with values worked out from the formulas in ONNX's text.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Attributes = std::vector<std::pair<std::string, TestAttribute>>;

Tensor Reals(const std::vector<float>& values) {
  return Tensor::FromVector(DType::kFloat32, {static_cast<int64_t>(values.size())}, values);
}

std::vector<float> RunOn(const std::string& op, const std::vector<float>& x, const Attributes& attributes = {},
                         int64_t opset = 20) {
  ModelMaker model(opset);
  model.Input("x", {static_cast<int64_t>(x.size())}).Node(op, {"x"}, {"y"}, attributes).Output("y");
  return Values(RunOnnx(model.Bytes(), {{"x", Reals(x)}})[0]);
}

void ExpectMap(const std::string& op, const Attributes& attributes, const std::vector<float>& x,
               double (*exact)(double)) {
  const std::vector<float> got = RunOn(op, x, attributes);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(got[i], exact(x[i]), 1e-6 * (1 + std::abs(exact(x[i])))) << op << x[i];
}

const std::vector<float> kLine = {-30, -4, -1, -0.25, 0, 0.5, 1, 3, 30};

TEST(OnnxActivation, ExponentialFormulas) {
  ExpectMap("Elu", {{"alpha", 2.0}}, kLine, [](double x) { return x < 0 ? 2 * (std::exp(x) - 1) : x; });
  ExpectMap("Selu", {{"alpha", 2.0}, {"gamma", 3.0}}, kLine,
            [](double x) { return 3 * (x < 0 ? 2 * std::exp(x) - 2 : x); });
  ExpectMap("Celu", {{"alpha", 2.0}}, kLine, [](double x) { return x < 0 ? 2 * (std::exp(x / 2) - 1) : x; });
  ExpectMap("Softplus", {}, kLine, [](double x) { return std::log(std::exp(x) + 1); });
  ExpectMap("Softsign", {}, kLine, [](double x) { return x / (1 + std::abs(x)); });
  ExpectMap("Mish", {}, kLine, [](double x) { return x * std::tanh(std::log(std::exp(x) + 1)); });
  ExpectMap("Swish", {{"alpha", 0.5}}, kLine, [](double x) { return x / (1 + std::exp(-x / 2)); });
  ExpectMap("Gelu", {{"approximate", "tanh"}}, kLine, [](double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
  });
}

TEST(OnnxActivation, Thresholds) {
  EXPECT_THAT(RunOn("ThresholdedRelu", {-1, 2, 2.5}, {{"alpha", 2.0}}), ElementsAre(0, 0, 2.5F));
  EXPECT_THAT(RunOn("Shrink", {-3, -1, 0, 1, 3}, {{"lambd", 1.5}, {"bias", 0.5}}), ElementsAre(-2.5F, 0, 0, 0, 2.5F));
}

// ONNX's types 2 and 6 are uint8 and int32.
TEST(OnnxActivation, ShrinksIntegersByFractions) {
  const auto shrunk = [](int type, const Tensor& x, double bias, double bound) {
    ModelMaker model;
    model.IntegerInput("x", type, x.shape()).Node("Shrink", {"x"}, {"y"}, {{"bias", bias}, {"lambd", bound}});
    return Values(RunOnnx(model.Output("y").Bytes(), {{"x", x}})[0]);
  };
  EXPECT_THAT(shrunk(6, Tensor::FromVector<int32_t>(DType::kInt32, {4}, {-7, -2, 2, 6}), 1.5, 2),
              ElementsAre(-5, 0, 0, 4));
  EXPECT_THAT(shrunk(2, Tensor::FromVector<uint8_t>(DType::kUInt8, {3}, {2, 3, 255}), 1, 2.5), ElementsAre(0, 2, 254));
}

TEST(OnnxActivation, RefusesWhatItCannotDo) {
  ModelMaker celu, gelu(20);
  celu.Input("x", {2}).Node("Celu", {"x"}, {"y"}, {{"alpha", 0.0}}).Output("y");
  EXPECT_THAT(ImportError(celu.Bytes()), HasSubstr("alpha is 0"));
  gelu.Input("x", {2}).Node("Gelu", {"x"}, {"y"}, {{"approximate", "cubic"}}).Output("y");
  EXPECT_THAT(ImportError(gelu.Bytes()), HasSubstr("\"none\" and \"tanh\" are"));
}

TEST(OnnxTrigonometry, IsMadeOfFewFunctions) {
  const std::vector<float> angles{-3, -1, -0.001F, 0, 0.3F, 1.5F, 12}, unit{-1, -0.999F, -0.3F, 0, 1e-5F, 0.5F, 1};
  ExpectMap("Tan", {}, angles, std::tan);
  ExpectMap("Sinh", {}, angles, std::sinh);
  ExpectMap("Cosh", {}, angles, std::cosh);
  ExpectMap("Asinh", {}, {-1e30F, -5, -1e-4F, 0, 0.2F, 7, 1e12F}, std::asinh);
  ExpectMap("Acosh", {}, {1, 1.001F, 2, 1e10F}, std::acosh);
  ExpectMap("Asin", {}, unit, std::asin);
  ExpectMap("Acos", {}, unit, std::acos);
  ExpectMap("Atanh", {}, {-0.999F, -0.3F, 0, 1e-5F, 0.5F, 0.99F}, std::atanh);
}

TEST(OnnxTrigonometry, HyperbolicFunctionsReachTheLargestFloats) {
  const std::vector<float> far{-89.4F, -88.8F, -60, 60, 89, 89.4F};
  ExpectMap("Sinh", {}, far, std::sinh);
  ExpectMap("Cosh", {}, far, std::cosh);
  EXPECT_THAT(RunOn("Sinh", {-90, -INFINITY, INFINITY}), ElementsAre(-INFINITY, -INFINITY, INFINITY));
  EXPECT_THAT(RunOn("Cosh", {-90, -INFINITY, INFINITY}), ElementsAre(INFINITY, INFINITY, INFINITY));
}

TEST(OnnxComparison, FindsInfinitiesOfEitherSign) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const std::vector<float> x{-inf, inf, nan, 1};
  EXPECT_THAT(RunOn("IsInf", x), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(RunOn("IsInf", x, {{"detect_negative", int64_t{0}}}), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(RunOn("IsInf", x, {{"detect_positive", int64_t{0}}}), ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(RunOn("IsInf", x, {{"detect_positive", int64_t{0}}, {"detect_negative", int64_t{0}}}),
              ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(RunOn("IsNaN", x), ElementsAre(0, 0, 1, 0));
}

TEST(OnnxElementwise, TakesManyInputsAndSharesTheMean) {
  ModelMaker model;
  model.Input("x", {2}).Weight("a", {2}, {4, 6}).Weight("b", {1}, {5});
  model.Node("Mean", {"x", "a", "b"}, {"y"}).Node("Mod", {"a", "b"}, {"m"}).Output("y").Output("m");
  const auto results = RunOnnx(model.Bytes(), {{"x", Counting({2})}});
  EXPECT_THAT(Values(results[0]), ElementsAre(3, 4));
  EXPECT_THAT(Values(results[1]), ElementsAre(4, 1));
}

// ONNX's type 6 is int32.
TEST(OnnxPow, OfIntegersIsExact) {
  const std::map<int, std::vector<int>> powers = {
      {0, {1, 1, 1}}, {1, {-3, 0, 7}}, {2, {9, 0, 49}}, {5, {-243, 0, 16807}}};
  for (const auto& [n, want] : powers) {
    ModelMaker model;
    model.IntegerInput("x", 6, {3}).Integers("n", 6, {1}, {n}).Node("Pow", {"x", "n"}, {"y"});
    const Tensor x = Tensor::FromVector<int32_t>(DType::kInt32, {3}, {-3, 0, 7});
    const Tensor y = RunOnnx(model.Output("y").Bytes(), {{"x", x}})[0];
    ASSERT_EQ(y.dtype(), DType::kInt32);
    EXPECT_EQ(std::vector<int>(y.data<int32_t>(), y.data<int32_t>() + 3), want) << n;
  }
}

// Exponents of -1 and 1 that no square counts, those beyond 63, and negative ones, whose powers are truncated.
TEST(OnnxPow, OfIntegersTakesComputedExponents) {
  ModelMaker model;
  model.IntegerInput("x", 6, {8}).IntegerInput("n", 7, {8}).Node("Pow", {"x", "n"}, {"y"}).Output("y");
  const Tensor y = RunOnnx(model.Bytes(), {{"x", Typed(DType::kInt32, {8}, {2, -3, -1, -1, 7, 1, -1, 0})},
                                           {"n", Typed(DType::kInt64, {8}, {5, 3, 64, 99, -1, -4, -3, 0})}})[0];
  EXPECT_EQ(y.dtype(), DType::kInt32);
  EXPECT_THAT(Values(y), ElementsAre(32, -27, 1, -1, 0, 1, -1, 1));
}

TEST(OnnxPow, OfIntegersTruncatesPowersOfFractions) {
  ModelMaker model;
  model.IntegerInput("x", 6, {3}).Input("n", {3}).Node("Pow", {"x", "n"}, {"y"}).Output("y");
  const Tensor y = RunOnnx(model.Bytes(), {{"x", Typed(DType::kInt32, {3}, {5, 9, 2})},
                                           {"n", Tensor::FromVector<float>(DType::kFloat32, {3}, {3, 0.5F, 1.5F})}})[0];
  EXPECT_THAT(Values(y), ElementsAre(125, 3, 2));
}

}  // namespace
}  // namespace hone
