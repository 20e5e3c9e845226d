// Training operators: losses, moments of a batch, steps of optimisers.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;
using Attributes = std::vector<std::pair<std::string, TestAttribute>>;

constexpr int kInt64 = 7;

Tensor Floats(const Shape& shape, const std::vector<float>& values) {
  return Tensor::FromVector<float>(DType::kFloat32, shape, values);
}

Tensor Classes(const std::vector<int64_t>& values) {
  return Tensor::FromVector<int64_t>(DType::kInt64, {static_cast<int64_t>(values.size())}, values);
}

ModelMaker LossModel(const std::string& op, const Shape& scores, const Attributes& attributes, bool weighted,
                     const Shape& classes = {2}) {
  ModelMaker model(13);
  model.Input("x", scores).IntegerInput("c", kInt64, classes).Weight("w", {3}, {1, 2, 4});
  std::vector<std::string> inputs{"x", "c"};
  if (weighted) inputs.emplace_back("w");
  return model.Node(op, inputs, {"y"}, attributes).Output("y");
}

std::vector<float> Loss(const Attributes& attributes, bool weighted, const std::vector<int64_t>& classes = {2, 0}) {
  const ModelMaker model = LossModel("NegativeLogLikelihoodLoss", {2, 3}, attributes, weighted);
  const Tensor scores = Floats({2, 3}, {-1, -2, -3, -4, -5, -6});
  return Values(RunOnnx(model.Bytes(), {{"x", scores}, {"c", Classes(classes)}})[0]);
}

TEST(OnnxLoss, TakesEachPlacesClass) {
  EXPECT_THAT(Loss({{"reduction", "none"}}, false), ElementsAre(3, 4));
  EXPECT_THAT(Loss({{"reduction", "sum"}}, false), ElementsAre(7));
  EXPECT_THAT(Loss({}, false), ElementsAre(3.5));
  EXPECT_THAT(Loss({{"reduction", "none"}}, true), ElementsAre(12, 4));
  EXPECT_THAT(Loss({}, true), ElementsAre(FloatNear(3.2F, 1e-6F)));
}

// Ignored targets count for nothing, even where ignore_index is not a valid class.
TEST(OnnxLoss, LeavesOutWhatIsIgnored) {
  const Attributes none{{"reduction", "none"}, {"ignore_index", int64_t{-7}}};
  EXPECT_THAT(Loss(none, false, {2, -7}), ElementsAre(3, 0));
  EXPECT_THAT(Loss({none[1]}, false, {2, -7}), ElementsAre(3));
  EXPECT_THAT(Loss({none[1]}, true, {1, -7}), ElementsAre(2));
}

TEST(OnnxLoss, OfScoresGivesTheirLogarithmsToo) {
  ModelMaker model(13);
  model.Input("x", {1, 2, 2}).IntegerInput("c", kInt64, {1, 2});
  model.Node("SoftmaxCrossEntropyLoss", {"x", "c"}, {"y", "p"}, {{"reduction", "sum"}}).Output("y").Output("p");
  const Tensor classes = Tensor::FromVector<int64_t>(DType::kInt64, {1, 2}, {1, 0});
  const auto results = RunOnnx(model.Bytes(), {{"x", Floats({1, 2, 2}, {0, 0, 0, 0})}, {"c", classes}});
  const float half = std::log(0.5F);
  EXPECT_THAT(Values(results[0]), ElementsAre(FloatNear(-2 * half, 1e-6F)));
  EXPECT_THAT(Values(results[1]), Pointwise(FloatNear(1e-6F), {half, half, half, half}));
}

TEST(OnnxLoss, RefusesWhatDoesNotFit) {
  const std::string op = "NegativeLogLikelihoodLoss";
  EXPECT_THAT(ImportError(LossModel(op, {2, 3}, {}, false, {3}).Bytes()), HasSubstr("its classes are 3"));
  EXPECT_THAT(ImportError(LossModel(op, {2, 4}, {}, true).Bytes()), HasSubstr("3 weights for 4 classes"));
  EXPECT_THAT(ImportError(LossModel(op, {2, 3}, {{"reduction", "most"}}, true).Bytes()),
              HasSubstr("node \"y\" (NegativeLogLikelihoodLoss): reduction=\"most\" is not known"));
}

// One tensor of one element: its value, its gradient and its states. The rate is 0.1 unless given.
std::vector<float> Stepped(const std::string& op, int64_t step, const std::vector<float>& given,
                           const Attributes& attributes, float rate = 0.1F) {
  ModelMaker model(13);
  std::map<std::string, Tensor> inputs{{"r", Tensor::Scalar(rate)},
                                       {"t", Tensor::FromVector<int64_t>(DType::kInt64, {}, {step})}};
  model.Input("r", {}).IntegerInput("t", kInt64, {});
  std::vector<std::string> names{"r", "t"}, outputs;
  for (const float value : given) {
    names.push_back("i" + std::to_string(names.size()));
    model.Input(names.back(), {1});
    inputs.emplace(names.back(), Floats({1}, {value}));
    if (names.size() != 4) outputs.push_back("o" + names.back());
  }
  model.Node(op, names, outputs, attributes).Domain("ai.onnx.preview.training");
  for (const std::string& output : outputs) model.Output(output);
  std::vector<float> results;
  for (const Tensor& result : RunOnnx(model.Bytes(), inputs)) results.push_back(Values(result)[0]);
  return results;
}

TEST(OnnxOptimiser, StepsAsTheirFormulasSay) {
  const auto near = [](const std::vector<float>& values) { return Pointwise(FloatNear(1e-5F), values); };
  const Attributes adagrad{{"decay_factor", 1.0}, {"epsilon", 0.0}};
  EXPECT_THAT(Stepped("Adagrad", 1, {4, 3, 16}, adagrad, 0.5F), near({3.85F, 25}));
  Attributes momentum{{"alpha", 0.5}, {"beta", 0.25}, {"mode", "standard"}, {"norm_coefficient", 0.0}};
  EXPECT_THAT(Stepped("Momentum", 2, {1, 2, 3}, momentum), near({0.8F, 2}));
  EXPECT_THAT(Stepped("Momentum", 0, {1, 2, 3}, momentum), near({0.65F, 3.5F}));
  momentum[2].second = "nesterov";
  EXPECT_THAT(Stepped("Momentum", 2, {1, 2, 3}, momentum), near({0.7F, 2}));
  momentum[3].second = 0.5;
  EXPECT_THAT(Stepped("Momentum", 2, {4, 0, 3}, momentum), near({3.7F, 2}));
  const Attributes adam{{"alpha", 0.5}, {"beta", 0.75}, {"epsilon", 0.0}, {"norm_coefficient_post", 0.5}};
  EXPECT_THAT(Stepped("Adam", 0, {1, 2, 4, 4}, adam), near({0.425F, 3, 4}));
  EXPECT_THAT(Stepped("Adam", 2, {1, 2, 4, 4}, adam), near({0.4338562F, 3, 4}));
}

TEST(OnnxOptimiser, StepsSeveralTensorsAtOnce) {
  ModelMaker model(13);
  model.Input("r", {}).IntegerInput("t", kInt64, {});
  for (const char* name : {"x0", "x1", "g0", "g1", "v0", "v1"}) model.Input(name, {1});
  const Attributes attributes{{"alpha", 1.0}, {"beta", 1.0}, {"mode", "standard"}, {"norm_coefficient", 0.0}};
  model.Node("Momentum", {"r", "t", "x0", "x1", "g0", "g1", "v0", "v1"}, {"a", "b", "c", "d"}, attributes)
      .Domain("ai.onnx.preview.training");
  model.Output("a").Output("b").Output("c").Output("d");
  std::map<std::string, Tensor> inputs{{"r", Tensor::Scalar(1)}, {"t", Tensor(DType::kInt64, {})}};
  float value = 1;
  for (const char* name : {"x0", "x1", "g0", "g1", "v0", "v1"}) inputs.emplace(name, Floats({1}, {value *= 2}));
  std::vector<float> all;
  for (const Tensor& result : RunOnnx(model.Bytes(), inputs)) all.push_back(Values(result)[0]);
  EXPECT_THAT(all, ElementsAre(2 - 40, 4 - 80, 40, 80));
}

TEST(OnnxOptimiser, RefusesAnInputTooFew) {
  ModelMaker model(13);
  model.Input("r", {}).IntegerInput("t", kInt64, {});
  for (const char* name : {"x", "g", "v", "w"}) model.Input(name, {1});
  model.Node("Momentum", {"r", "t", "x", "g", "v", "w"}, {"a"}).Domain("ai.onnx.preview.training").Output("a");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("6 inputs; it takes 2 and 3 for each tensor"));
}

TEST(OnnxBatchNormalization, LearnsFromItsBatch) {
  ModelMaker model(15);
  model.Input("x", {2, 1}).Weight("s", {1}, {2}).Weight("b", {1}, {1}).Weight("m", {1}, {10}).Weight("v", {1}, {5});
  model.Node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y", "mean", "var"},
             {{"training_mode", int64_t{1}}, {"epsilon", 0.0}});
  const auto results = RunOnnx(model.Output("y").Output("mean").Output("var").Bytes(), {{"x", Floats({2, 1}, {1, 3})}});
  EXPECT_THAT(Values(results[0]), Pointwise(FloatNear(1e-5F), {-1.0F, 3.0F}));
  EXPECT_THAT(Values(results[1]), ElementsAre(FloatNear(9.2F, 1e-5F)));
  EXPECT_THAT(Values(results[2]), ElementsAre(FloatNear(4.6F, 1e-5F)));
}

TEST(OnnxDropout, KeepsAllWhereNothingIsDropped) {
  ModelMaker model(13);
  model.Input("x", {3}).Node("Dropout", {"x"}, {"y", "kept"}).Output("y").Output("kept");
  const auto results = RunOnnx(model.Bytes(), {{"x", Counting({3})}});
  EXPECT_THAT(Values(results[0]), ElementsAre(0, 1, 2));
  EXPECT_THAT(Values(results[1]), ElementsAre(1, 1, 1));
  EXPECT_EQ(results[1].dtype(), DType::kBool);
}

}  // namespace
}  // namespace hone
