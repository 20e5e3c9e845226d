// Verification of models that round: a sum near a half may round either way, and nothing else may differ.
#include "lab/verify/rounding_spread.h"

#include <gtest/gtest.h>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "lab/verify/compare_outputs.h"
#include "tests/compiler/frontend/model_maker.h"

namespace hone {
namespace {

// y is x quantised in steps of 0.5.
relay::IRModule Quantised() {
  ModelMaker maker;
  maker.Input("x", {1, 8}).Filled("scale", {}, 0.5F).Integers("zero", onnx::TensorProto::INT8, {}, {0});
  maker.Node("QuantizeLinear", {"x", "scale", "zero"}, {"q"}).Node("DequantizeLinear", {"q", "scale", "zero"}, {"y"});
  return relay::InferType(ImportOnnxBytes(maker.Output("y").Bytes(), "m").module);
}

std::map<std::string, Tensor> Given(const std::vector<double>& x) {
  Tensor tensor(DType::kFloat32, {1, 8});
  for (size_t i = 0; i < x.size(); ++i) tensor.Set(static_cast<int64_t>(i), x[i]);
  return {{"x", tensor}};
}

TEST(RoundingSpread, IsAQuantumWhereAValueLiesNextToAHalf) {
  const std::vector<double> spread = RoundingSpread(Quantised(), Given({10, 1.2500001, 3}));
  ASSERT_EQ(spread.size(), 1U);
  EXPECT_NEAR(spread[0], 0.5 / 10, 1e-6);
}

TEST(RoundingSpread, IsNothingWhereNoValueDoes) {
  EXPECT_EQ(RoundingSpread(Quantised(), Given({10, 1.2, 3.1})), std::vector<double>{0});
}

// 1 + 2^-11 lies between two float16s.
TEST(RoundingSpread, IsAPlaceOfFloat16WhereAValueIsCastToIt) {
  ModelMaker maker(21);
  maker.Input("x", {1, 8}).Node("Cast", {"x"}, {"c"}, {{"to", int64_t{onnx::TensorProto::FLOAT16}}});
  maker.Node("Cast", {"c"}, {"y"}, {{"to", int64_t{1}}});
  const relay::IRModule model = relay::InferType(ImportOnnxBytes(maker.Output("y").Bytes(), "m").module);
  EXPECT_TRUE(Rounds(model));
  EXPECT_NEAR(RoundingSpread(model, Given({1 + 0x1p-11, 0.5})).at(0), 0x1p-10, 1e-6);
  EXPECT_LT(RoundingSpread(model, Given({1, 0.5})).at(0), 0x1p-16) << "far less than a place";
}

TEST(RoundingSpread, ATensorWithAnotherScaleIsFarOutside) {
  const auto inputs = Given({10, 1.2500001, 3});
  const Tensor right = RunReference(Quantised(), inputs).at(0);
  Tensor flipped(right.dtype(), right.shape()), wrong(right.dtype(), right.shape());
  for (int64_t i = 0; i < right.elements(); ++i) {
    flipped.Set(i, right.At(i) + (i == 1 ? 0.5 : 0));
    wrong.Set(i, right.At(i) * 1.25);
  }
  const double allowed = 2 * RoundingSpread(Quantised(), inputs).at(0);
  EXPECT_LE(CompareOutput("y", flipped, right, 0).worst, allowed);
  EXPECT_GT(CompareOutput("y", wrong, right, 0).worst, allowed);
}

TEST(OutputQuanta, AreTheScaleOfADequantisedOutput) { EXPECT_EQ(OutputQuanta(Quantised()), std::vector<double>{0.5}); }

TEST(OutputQuanta, AreTheScaleOfWhatWasMovedToo) {
  ModelMaker maker;
  maker.Input("x", {1, 8}).Filled("scale", {}, 0.25F).Integers("zero", onnx::TensorProto::UINT8, {}, {3});
  maker.Node("QuantizeLinear", {"x", "scale", "zero"}, {"q"}).Node("DequantizeLinear", {"q", "scale", "zero"}, {"y"});
  maker.Node("Flatten", {"y"}, {"flat"}).Node("Relu", {"flat"}, {"z"});
  const auto typed =
      relay::InferType(ImportOnnxBytes(maker.Output("flat").Output("z").Output("q").Bytes(), "m").module);
  EXPECT_EQ(OutputQuanta(typed), (std::vector<double>{0.25, 0, 1})) << "a relu may cut a step";
}

TEST(OutputQuanta, ASingleRoundingOtherwiseIsOneStep) {
  const auto inputs = Given({10, 1.2500001, 3});
  const Tensor right = RunReference(Quantised(), inputs).at(0);
  Tensor flipped = right.Clone();
  flipped.Set(1, right.At(1) + 0.5);
  OutputError error = CompareOutput("y", flipped, right, 0);
  error.quantum = OutputQuanta(Quantised()).at(0);
  error.rounding = 2 * RoundingSpread(Quantised(), inputs).at(0);
  EXPECT_EQ(error.Quanta(), 1);
  EXPECT_EQ(error.AllowedQuanta(), 2);
}

}  // namespace
}  // namespace hone
