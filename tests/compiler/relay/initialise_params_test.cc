#include "compiler/relay/initialise_params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/relay/function.h"
#include "core/error.h"

namespace hone::relay {
namespace {

using testing::HasSubstr;

using Ints = std::vector<int64_t>;

// 64 inputs, 128 outputs, windows of 3x3; then a batch norm.
FunctionPtr Layer() {
  const ExprPtr data = MakeVar("data", TensorType({1, 64, 8, 8}));
  const ExprPtr conv = MakeCall("nn.conv2d", {data, MakeVar("conv_weight")},
                                {{"channels", int64_t{128}}, {"kernel_size", Ints{3, 3}}, {"padding", Ints{1}}});
  return MakeFunction(MakeTupleGetItem(MakeCall("nn.batch_norm", {conv, MakeVar("bn_gamma"), MakeVar("bn_beta"),
                                                                  MakeVar("bn_moving_mean"), MakeVar("bn_moving_var")}),
                                       0));
}

const Tensor& Value(const IRModule& module, const std::string& name) {
  for (const auto& [param, value] : module.params) {
    if (param == name) return value;
  }
  throw std::runtime_error("no value of " + name);
}

bool SameBytes(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.size_bytes())) == 0;
}

struct Moments {
  double mean = 0, variance = 0, largest = 0;
};

Moments MomentsOf(const Tensor& tensor) {
  Moments m;
  const auto n = static_cast<double>(tensor.elements());
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    m.mean += tensor.At(i) / n;
    m.variance += tensor.At(i) * tensor.At(i) / n;
    m.largest = std::max(m.largest, std::abs(tensor.At(i)));
  }
  return m;
}

std::string Refusal(const FunctionPtr& main, const Initialiser& initialiser, const std::set<std::string>& inputs) {
  try {
    InitialiseParams(main, initialiser, 0, inputs);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "";
}

TEST(InitialiseParams, GivesEveryParameterButTheInputsAValueOfItsType) {
  const IRModule module = InitialiseParams(Layer(), Xavier());
  ASSERT_EQ(module.params.size(), 5U);
  EXPECT_EQ(Value(module, "conv_weight").shape(), (Shape{128, 64, 3, 3}));
  EXPECT_EQ(Value(module, "bn_gamma").shape(), (Shape{128}));
  EXPECT_NE(module.main->type, nullptr);
  EXPECT_TRUE(InitialiseParams(Layer(), Filled(0), 0,
                               {"data", "conv_weight", "bn_gamma", "bn_beta", "bn_moving_mean", "bn_moving_var"})
                  .params.empty());
}

TEST(InitialiseParams, XavierIsUniformWithinItsBound) {
  const Moments m = MomentsOf(Value(InitialiseParams(Layer(), Xavier()), "conv_weight"));
  const double bound = std::sqrt(3 / ((64 * 9 + 128 * 9) / 2.0));
  EXPECT_LE(m.largest, bound);
  EXPECT_GE(m.largest, 0.99 * bound);
  EXPECT_NEAR(m.mean, 0, 0.01 * bound);
  EXPECT_NEAR(m.variance, bound * bound / 3, 0.02 * bound * bound);
}

TEST(InitialiseParams, HeInitialisationIsNormalWithVarianceTwoOverInputs) {
  const Moments m = MomentsOf(Value(InitialiseParams(Layer(), He()), "conv_weight"));
  EXPECT_NEAR(m.variance, 2.0 / (64 * 9), 0.02 * 2.0 / (64 * 9));
  EXPECT_GE(m.largest, 2.5 * std::sqrt(m.variance)) << "not uniform";
}

TEST(InitialiseParams, VectorsBeginWhereBatchNormsDo) {
  for (const Initialiser& initialiser : {Xavier(), He()}) {
    const IRModule module = InitialiseParams(Layer(), initialiser);
    for (const auto& [name, start] :
         {std::pair{"bn_gamma", 1.0}, {"bn_beta", 0.0}, {"bn_moving_mean", 0.0}, {"bn_moving_var", 1.0}}) {
      for (int64_t i = 0; i < 128; ++i) ASSERT_EQ(Value(module, name).At(i), start) << name;
    }
  }
}

TEST(InitialiseParams, FilledIsTheValueWhateverTheType) {
  const ExprPtr ids = MakeVar("ids", TensorType({3}, DType::kInt64));
  const IRModule module = InitialiseParams(MakeFunction(MakeCall("add", {MakeVar("data", ids->type), ids})), Filled(7));
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(Value(module, "ids").data<int64_t>()[i], 7);
}

TEST(InitialiseParams, ValuesAreAFunctionOfNameTypeAndSeed) {
  const IRModule a = InitialiseParams(Layer(), Xavier(), 1), b = InitialiseParams(Layer(), Xavier(), 1);
  EXPECT_TRUE(SameBytes(Value(a, "conv_weight"), Value(b, "conv_weight")));
  const IRModule other = InitialiseParams(Layer(), Xavier(), 2);
  EXPECT_FALSE(SameBytes(Value(a, "conv_weight"), Value(other, "conv_weight")));
  const ExprPtr x = MakeVar("data", TensorType({4, 4}));
  const ExprPtr both = MakeCall("add", {MakeVar("a_weight", x->type), MakeVar("b_weight", x->type)});
  const IRModule two = InitialiseParams(MakeFunction(MakeCall("add", {x, both})), Xavier(), 1);
  EXPECT_FALSE(SameBytes(Value(two, "a_weight"), Value(two, "b_weight")));
}

TEST(InitialiseParams, RefusesInOneLine) {
  EXPECT_THAT(Refusal(Layer(), Xavier(), {"image"}), HasSubstr("image is to be an input"));
  const ExprPtr open = MakeVar("w", TensorType({kAnyDim, 4})), ids = MakeVar("ids", TensorType({3}, DType::kInt64));
  const ExprPtr data = MakeVar("data", TensorType({1, 4}));
  EXPECT_THAT(Refusal(MakeFunction(MakeCall("add", {data, open})), Xavier(), {"data"}),
              HasSubstr("the parameter w is"));
  EXPECT_THAT(Refusal(MakeFunction(MakeCall("add", {MakeVar("data", ids->type), ids})), He(), {"data"}),
              HasSubstr("the parameter ids is int64"));
}

}  // namespace
}  // namespace hone::relay
