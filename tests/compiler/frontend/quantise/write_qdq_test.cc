#include "compiler/frontend/quantise/write_qdq.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

Tensor Random(const Shape& shape, uint64_t seed) {
  Tensor values(DType::kFloat32, shape);
  FillTensor(values, Fill::kNormal, seed);
  return values;
}

std::vector<float> Numbers(int count, int modulus, float scale) {
  std::vector<float> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(static_cast<float>(i * 37 % modulus - modulus / 2) * scale);
  return numbers;
}

struct Quantised {
  FloatModel model;
  QuantisationPlan plan;
  std::string bytes;
};

Quantised Quantise(const ModelMaker& maker, const std::map<std::string, ValueRange>& ranges,
                   const std::map<std::string, std::vector<double>>& means = {}, bool products = false) {
  Quantised made{FloatModel::FromBytes(maker.Bytes(), "test"), {}, {}};
  made.plan = PlanQuantisation(made.model, QuantisableLayers(made.model, products), {});
  made.bytes = WriteQdq(made.model, made.plan, {ChooseScales(made.plan, ranges), means});
  return made;
}

std::vector<std::string> Operators(const std::string& bytes) {
  onnx::ModelProto proto;
  EXPECT_TRUE(proto.ParseFromString(bytes));
  std::vector<std::string> names;
  for (const auto& node : proto.graph().node()) names.push_back(node.op_type());
  return names;
}

ModelMaker DenseModel() {
  std::vector<float> weight = Numbers(16 * 8, 255, 1.0F / 128);
  for (int c = 0; c < 8; ++c) weight[static_cast<size_t>(c)] = 127.0F / 128;  // each column's scale is 1 / 128
  ModelMaker model;
  model.Input("x", {2, 16}).Weight("w", {16, 8}, weight).Weight("b", {8}, Numbers(8, 9, 0.25F));
  return model.Node("Gemm", {"x", "w", "b"}, {"y"}).Output("y");
}

// Weights, data and bias are integer multiples of their scales, so quantisation is lossless.
TEST(WriteQdq, IsExactWhereTheIntegersAre) {
  const Quantised made = Quantise(DenseModel(), {{"x", {-128.0 / 16, 127.0 / 16}}});
  EXPECT_THAT(Operators(made.bytes),
              ElementsAre("QuantizeLinear", "DequantizeLinear", "DequantizeLinear", "DequantizeLinear", "Gemm"));
  const Tensor x = Tensor::FromVector(DType::kFloat32, {2, 16}, Numbers(32, 251, 1.0F / 16));
  EXPECT_EQ(Values(RunOnnx(made.bytes, {{"x", x}})[0]), Values(RunOnnx(DenseModel().Bytes(), {{"x", x}})[0]));
}

// Both values are integer multiples of their scales, and a copy on its own gives the same.
TEST(WriteQdq, ProductsOfTwoComputedValuesReadBothInBytes) {
  ModelMaker model;
  model.Input("x", {2, 3, 8}).Input("z", {2, 8, 3}).Node("MatMul", {"x", "z"}, {"y"}).Output("y");
  const Quantised made = Quantise(model, {{"x", {-8, 127.0 / 16}}, {"z", {0, 255.0 / 4}}}, {}, true);
  EXPECT_THAT(Operators(made.bytes),
              ElementsAre("QuantizeLinear", "DequantizeLinear", "QuantizeLinear", "DequantizeLinear", "MatMul"));
  Tensor x = Tensor::FromVector(DType::kFloat32, {2, 3, 8}, Numbers(48, 251, 1.0F / 16));
  Tensor z = Tensor::FromVector(DType::kFloat32, {2, 8, 3}, Numbers(48, 200, 1.0F / 4));
  for (int64_t i = 0; i < z.elements(); ++i) z.Set(i, std::abs(z.At(i)));
  const std::map<std::string, Tensor> inputs{{"x", x}, {"z", z}};
  const auto exact = Values(RunOnnx(model.Bytes(), inputs)[0]);
  EXPECT_EQ(Values(RunOnnx(made.bytes, inputs)[0]), exact);
  const std::map<std::string, ValueRange> ranges{{"x", {-8, 127.0 / 16}}, {"z", {0, 255.0 / 4}}};
  const LonelyLayers lonely = WriteLonelyLayers(made.model, made.plan, {ChooseScales(made.plan, ranges), {}});
  ASSERT_EQ(lonely.outputs.size(), 1u);
  const std::vector<Tensor> results = RunOnnx(OnnxWithOutputs(lonely.model, {"y", lonely.outputs[0]}), inputs);
  EXPECT_EQ(Values(results[0]), exact);
  EXPECT_EQ(Values(results[1]), exact);
}

TEST(WriteQdq, KeepsNamesAndDropsFloatWeights) {
  const Quantised made = Quantise(DenseModel(), {{"x", {-8, 8}}});
  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(made.bytes));
  EXPECT_EQ(proto.graph().input(0).name(), "x");
  EXPECT_EQ(proto.graph().output(0).name(), "y");
  std::map<std::string, int> types;
  for (const auto& weight : proto.graph().initializer()) types[weight.name()] = weight.data_type();
  EXPECT_EQ(types.count("w"), 0u);
  EXPECT_EQ(types.count("b"), 0u);
  EXPECT_EQ(types.at("y_weight_quantized"), onnx::TensorProto::INT8);
  EXPECT_EQ(types.at("y_bias_quantized"), onnx::TensorProto::INT32);
  EXPECT_EQ(types.at("x_zero_point"), onnx::TensorProto::UINT8);
}

ModelMaker ConvModel() {
  ModelMaker model;
  const Tensor weight = Random({8, 4, 3, 3}, 2);
  model.Input("x", {1, 4, 10, 10});
  model.Weight("w", {8, 4, 3, 3}, {weight.data<float>(), weight.data<float>() + weight.elements()});
  model.Node("Conv", {"x", "w"}, {"c"}, {{"group", int64_t{1}}}).Node("Relu", {"c"}, {"r"});
  return model.Node("Sigmoid", {"r"}, {"y"}).Output("y").Output("r");
}

TEST(WriteQdq, RoundsBehindTheActivation) {
  const Quantised made = Quantise(ConvModel(), {{"x", {-4, 4}}, {"r", {0, 20}}});
  EXPECT_THAT(Operators(made.bytes), ElementsAre("QuantizeLinear", "DequantizeLinear", "DequantizeLinear", "Conv",
                                                 "Relu", "QuantizeLinear", "DequantizeLinear", "Sigmoid"));
  const Tensor x = Random({1, 4, 10, 10}, 5);
  const auto got = RunOnnx(made.bytes, {{"x", x}}), exact = RunOnnx(ConvModel().Bytes(), {{"x", x}});
  double worst = 0;
  for (int64_t i = 0; i < exact[1].elements(); ++i) worst = std::max(worst, std::fabs(got[1].At(i) - exact[1].At(i)));
  EXPECT_LT(worst, 0.4);
  EXPECT_GT(worst, 0) << "nothing was quantised";
}

// With an input whose mean is far from 0, rounding of the weights visibly shifts sums.
TEST(WriteQdq, TakesTheMeanOfTheWeightsErrorBack) {
  Tensor x = Random({1, 4, 10, 10}, 5);
  for (int64_t i = 0; i < x.elements(); ++i) x.Set(i, 0.1 * x.At(i) + 3);
  const std::map<std::string, ValueRange> ranges{{"x", {0, 4}}, {"r", {0, 200}}};
  const auto mean_error = [&](const std::string& bytes) {
    const auto got = RunOnnx(OnnxWithOutputs(bytes, {"c"}), {{"x", x}});
    const auto exact = RunOnnx(OnnxWithOutputs(ConvModel().Bytes(), {"c"}), {{"x", x}});
    double sum = 0;
    for (int64_t c = 0; c < 8; ++c) {
      double channel = 0;
      for (int64_t i = c * 64; i < (c + 1) * 64; ++i) channel += got[0].At(i) - exact[0].At(i);
      sum += std::fabs(channel) / 64;
    }
    return sum;
  };
  std::vector<double> means(4, 0.0);
  for (int64_t i = 0; i < x.elements(); ++i) means[static_cast<size_t>(i / 100)] += x.At(i) / 100;
  const double plain = mean_error(Quantise(ConvModel(), ranges).bytes);
  const double corrected = mean_error(Quantise(ConvModel(), ranges, {{"x", means}}).bytes);
  EXPECT_LT(corrected, 0.5 * plain) << plain;
}

// A copy of each layer reads exact values, so its error is its own. The float model is untouched.
TEST(WriteLonelyLayers, AddsAQuantisedCopyBesideEachLayer) {
  const Quantised made = Quantise(ConvModel(), {{"x", {-4, 4}}, {"r", {0, 20}}});
  const std::map<std::string, ByteScale> scales = ChooseScales(made.plan, {{"x", {-4, 4}}, {"r", {0, 20}}});
  const LonelyLayers lonely = WriteLonelyLayers(made.model, made.plan, {scales, {}});
  ASSERT_EQ(lonely.outputs.size(), 1u);
  const Tensor x = Random({1, 4, 10, 10}, 5);
  const auto alone = RunOnnx(OnnxWithOutputs(lonely.model, {lonely.outputs[0], "r"}), {{"x", x}});
  const auto exact = RunOnnx(ConvModel().Bytes(), {{"x", x}});
  EXPECT_EQ(Values(alone[1]), Values(exact[1]));
  const auto network = RunOnnx(OnnxWithOutputs(made.bytes, {"r_dequantized"}), {{"x", x}});
  EXPECT_EQ(Values(alone[0]), Values(network[0])) << "of the first layer both are the same";
}

}  // namespace
}  // namespace hone
