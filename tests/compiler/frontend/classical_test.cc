// Scalings and linear models of the domain ai.onnx.ml, with values worked out by hand.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Floats {
  std::string name;
  std::vector<float> values;
};

// A node on a 2 x 2 input x, which counts 0 to 3.
ModelMaker Classical(const std::string& op, const std::vector<Floats>& lists,
                     const std::vector<std::pair<std::string, TestAttribute>>& attributes = {},
                     const std::vector<std::string>& outputs = {"y"}) {
  ModelMaker model;
  model.Input("x", {2, 2}).Node(op, {"x"}, outputs, attributes).Domain("ai.onnx.ml");
  for (const Floats& list : lists) {
    auto& attribute = *model.graph().mutable_node(0)->add_attribute();
    attribute.set_name(list.name);
    attribute.set_type(onnx::AttributeProto::FLOATS);
    for (const float value : list.values) attribute.add_floats(value);
  }
  for (const std::string& output : outputs) model.Output(output);
  return model;
}

std::vector<Tensor> RunIt(const ModelMaker& model) { return RunOnnx(model.Bytes(), {{"x", Counting({2, 2})}}); }

TEST(OnnxClassical, ScalesFeatures) {
  EXPECT_THAT(Values(RunIt(Classical("Scaler", {{"offset", {1}}, {"scale", {2, 3}}}))[0]), ElementsAre(-2, 0, 2, 6));
  EXPECT_THAT(ImportError(Classical("Scaler", {{"scale", {1, 2, 3}}}).Bytes()),
              HasSubstr("(ai.onnx.ml.Scaler): scale holds 3 numbers for 2 features"));
}

TEST(OnnxClassical, NormalizesRows) {
  EXPECT_THAT(Values(RunIt(Classical("Normalizer", {}, {{"norm", "MAX"}}))[0]), ElementsAre(0, 1, 2.0F / 3, 1));
  EXPECT_THAT(Values(RunIt(Classical("Normalizer", {}, {{"norm", "L1"}}))[0]), ElementsAre(0, 1, 0.4F, 0.6F));
  const float length = std::sqrt(13.0F);
  EXPECT_THAT(Values(RunIt(Classical("Normalizer", {}, {{"norm", "L2"}}))[0]),
              testing::Pointwise(testing::FloatNear(1e-6F), {0.0F, 1.0F, 2 / length, 3 / length}));
  EXPECT_THAT(ImportError(Classical("Normalizer", {}, {{"norm", "L3"}}).Bytes()), HasSubstr("it may be MAX, L1 or L2"));
}

TEST(OnnxClassical, PicksAndSplitsFeatures) {
  EXPECT_THAT(Values(RunIt(Classical("Binarizer", {}, {{"threshold", 1.0}}))[0]), ElementsAre(0, 0, 1, 1));
  ModelMaker model;
  model.Input("x", {2, 2}).Ints("i", {1}).Node("ArrayFeatureExtractor", {"x", "i"}, {"y"}).Domain("ai.onnx.ml");
  model.Output("y");
  EXPECT_THAT(Values(RunIt(model)[0]), ElementsAre(1, 3));
}

TEST(OnnxClassical, LinearModelsScoreAndLabel) {
  const std::vector<Floats> lists{{"coefficients", {1, 2, 3, -4}}, {"intercepts", {0.5F, 6}}};
  EXPECT_THAT(Values(RunIt(Classical("LinearRegressor", lists, {{"targets", int64_t{2}}}))[0]),
              ElementsAre(2.5F, 2, 8.5F, 0));
  const auto labelled = RunIt(
      Classical("LinearClassifier", lists, {{"classlabels_ints", std::vector<int64_t>{7, 9}}}, {"label", "scores"}));
  EXPECT_THAT(Values(labelled[0]), ElementsAre(7, 7));
  EXPECT_THAT(Values(labelled[1]), ElementsAre(2.5F, 2, 8.5F, 0));
  EXPECT_THAT(ImportError(Classical("LinearRegressor", lists).Bytes()),
              HasSubstr("4 coefficients for 1 targets of 2 features"));
}

std::vector<float> Regression(const std::string& kernel, std::vector<float> params, std::vector<float> vectors,
                              std::vector<float> coefficients, int64_t one_class = 0) {
  const auto count = static_cast<int64_t>(coefficients.size());
  return Values(RunIt(Classical("SVMRegressor",
                                {{"kernel_params", std::move(params)},
                                 {"support_vectors", std::move(vectors)},
                                 {"coefficients", std::move(coefficients)},
                                 {"rho", {0.5F}}},
                                {{"kernel_type", kernel}, {"n_supports", count}, {"one_class", one_class}}))[0]);
}

TEST(OnnxClassical, RegressesOnSupportVectors) {
  const std::vector<float> none(3, 0);
  EXPECT_THAT(Regression("LINEAR", none, {1, 0, 0, 1}, {2, -1}), ElementsAre(-0.5F, 1.5F));
  EXPECT_THAT(Regression("LINEAR", none, {1, 0, 0, 1}, {2, -1}, 1), ElementsAre(-1, 1));
  const auto near = [](const std::vector<float>& values) {
    return testing::Pointwise(testing::FloatNear(1e-6F), values);
  };
  EXPECT_THAT(Regression("RBF", {1, 0, 0}, {0, 1}, {2}), near({2.5F, 0.5F + 2 * std::exp(-8.0F)}));
  EXPECT_THAT(Regression("POLY", {1, 1, 2}, {1, 0}, {1}), near({1.5F, 9.5F}));
  EXPECT_THAT(Regression("SIGMOID", {0.5F, 0, 0}, {1, 0}, {1}), near({0.5F, 0.5F + std::tanh(1.0F)}));
}

std::vector<Tensor> Support(std::vector<float> coefficients, std::vector<float> vectors, std::vector<float> rho,
                            const std::vector<int64_t>& labels, const std::vector<int64_t>& per_class,
                            const std::string& kernel = "LINEAR") {
  std::vector<std::pair<std::string, TestAttribute>> attributes{{"classlabels_ints", labels}, {"kernel_type", kernel}};
  if (!per_class.empty()) attributes.emplace_back("vectors_per_class", per_class);
  return RunIt(Classical("SVMClassifier",
                         {{"coefficients", std::move(coefficients)},
                          {"support_vectors", std::move(vectors)},
                          {"kernel_params", {0.5F, 1, 2}},
                          {"rho", std::move(rho)}},
                         attributes, {"label", "scores"}));
}

TEST(OnnxClassical, ClassesOfSupportVectorsWinPairs) {
  const auto three = Support({1, -1, 2, 3, 1, -1}, {1, 0, 0, 1, 1, 1}, {0, 0, 0.5F}, {7, 8, 9}, {1, 1, 1});
  EXPECT_THAT(Values(three[0]), ElementsAre(8, 7)) << "a draw of all is the first class's";
  EXPECT_THAT(Values(three[1]), ElementsAre(-1, 2, 0.5F, -1, 16, -1.5F));
  const auto two = Support({1, -1}, {1, 0, 0, 1}, {0.25F}, {7, 8}, {1, 1});
  EXPECT_THAT(Values(two[0]), ElementsAre(8, 8));
  EXPECT_THAT(Values(two[1]), ElementsAre(0.75F, -0.75F, 0.75F, -0.75F));
  const std::vector<std::pair<std::string, float>> kernels{
      {"RBF", std::exp(-1.0F) - 1}, {"POLY", 1 - 2.25F}, {"SIGMOID", std::tanh(1.0F) - std::tanh(1.5F)}};
  for (const auto& [kernel, score] : kernels) {
    const auto scores = Support({1, -1}, {1, 0, 0, 1}, {0}, {7, 8}, {1, 1}, kernel)[1];
    EXPECT_NEAR(scores.At(1), score, 1e-6) << kernel;
  }
  const auto linear = Support({1, 2, 3, -4}, {}, {0.5F}, {7, 8}, {});
  EXPECT_THAT(Values(linear[0]), ElementsAre(7, 7));
  EXPECT_THAT(Values(linear[1]), ElementsAre(2.5F, -3.5F, 8.5F, -5.5F));
}

// The numbers are ONNX Runtime's.
TEST(OnnxClassical, ProbabilitiesOfSupportVectorsAreCoupledFromPairs) {
  const auto likely = [](std::vector<float> coefficients, std::vector<float> vectors, std::vector<float> rho,
                         std::vector<float> slopes, std::vector<float> offsets, std::vector<int64_t> labels) {
    const std::vector<int64_t> each(labels.size(), 1);
    return RunIt(Classical("SVMClassifier",
                           {{"coefficients", std::move(coefficients)},
                            {"support_vectors", std::move(vectors)},
                            {"kernel_params", {0.5F, 1, 2}},
                            {"rho", std::move(rho)},
                            {"prob_a", std::move(slopes)},
                            {"prob_b", std::move(offsets)}},
                           {{"classlabels_ints", std::move(labels)}, {"vectors_per_class", each}},
                           {"label", "scores"}));
  };
  const auto three =
      likely({1, -1, 2, 3, 1, -1}, {1, 0, 0, 1, 1, 1}, {0, 0, 0.5F}, {-1, -0.5F, -2}, {0, 0.25F, 0.5F}, {7, 8, 9});
  EXPECT_THAT(Values(three[0]), ElementsAre(8, 7));
  EXPECT_THAT(Values(three[1]), Near({0.2534125F, 0.5241735F, 0.222414F, 0.48839667F, 0.3003378F, 0.21126558F}));
  const auto two = likely({1, -1}, {1, 0, 0, 1}, {0.25F}, {-1}, {0.5F}, {7, 8});
  EXPECT_THAT(Values(two[0]), ElementsAre(8, 8));
  EXPECT_THAT(Values(two[1]), Near({0.22268508F, 0.7773149F, 0.22268508F, 0.7773149F}));
}

}  // namespace
}  // namespace hone
