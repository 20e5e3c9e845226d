// Random operators: their streams, moments and the cases that draw nothing.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::Each;
using testing::ElementsAre;
using Attributes = std::vector<std::pair<std::string, TestAttribute>>;

std::vector<float> Drawn(const std::string& op, const Attributes& attributes, const OnnxImportOptions& options = {}) {
  ModelMaker model(22);
  model.Node(op, {}, {"y"}, attributes).Output("y");
  return Values(RunOnnx(model.Bytes(), {}, options)[0]);
}

struct Moments {
  double mean = 0, deviation = 0;
};

Moments MomentsOf(const std::vector<float>& numbers) {
  double sum = 0, squares = 0;
  for (const float x : numbers) sum += x, squares += double{x} * x;
  const double n = static_cast<double>(numbers.size()), mean = sum / n;
  return {mean, std::sqrt(squares / n - mean * mean)};
}

const Attributes kMany{{"shape", std::vector<int64_t>{100, 200}}};

Attributes And(Attributes attributes, const Attributes& more) {
  attributes.insert(attributes.end(), more.begin(), more.end());
  return attributes;
}

TEST(OnnxRandom, HasTheMomentsThatAreAsked) {
  const Moments normal = MomentsOf(Drawn("RandomNormal", And(kMany, {{"mean", 2.0}, {"scale", 3.0}})));
  EXPECT_NEAR(normal.mean, 2, 0.1);
  EXPECT_NEAR(normal.deviation, 3, 0.1);
  const Moments uniform = MomentsOf(Drawn("RandomUniform", And(kMany, {{"low", -1.0}, {"high", 5.0}})));
  EXPECT_NEAR(uniform.mean, 2, 0.1);
  EXPECT_NEAR(uniform.deviation, 6 / std::sqrt(12), 0.1);
}

TEST(OnnxRandom, FollowsItsSeed) {
  const auto once = Drawn("RandomUniform", kMany);
  EXPECT_EQ(Drawn("RandomUniform", kMany), once);
  EXPECT_NE(Drawn("RandomUniform", kMany, {.seed = 1}), once);
  const Attributes seeded = And(kMany, {{"seed", 7.0}});
  EXPECT_EQ(Drawn("RandomUniform", seeded, {.seed = 1}), Drawn("RandomUniform", seeded));
  EXPECT_NE(Drawn("RandomUniform", seeded), once);
}

TEST(OnnxRandom, GivesEachNodeAStreamAndEachRunItsSeed) {
  ModelMaker model(22);
  model.Node("RandomUniform", {}, {"a"}, kMany).Node("RandomUniform", {}, {"b"}, kMany).Output("a").Output("b");
  const OnnxImportOptions options{.seed_input = "seed"};
  const auto run = [&](double seed) {
    return RunOnnx(model.Bytes(), {{"seed", Typed(DType::kInt64, {}, {seed})}}, options);
  };
  const std::vector<Tensor> zero = run(0), five = run(5);
  EXPECT_NE(Values(zero[0]), Values(zero[1]));
  EXPECT_NE(Values(zero[0]), Values(five[0]));
  EXPECT_EQ(Values(five[0]), Drawn("RandomUniform", kMany, {.seed = 5}));
}

TEST(OnnxRandom, DrawsNothingForAScaleOfZero) {
  EXPECT_THAT(Drawn("RandomNormal", {{"shape", std::vector<int64_t>{3}}, {"mean", 4.0}, {"scale", 0.0}}), Each(4));
  ModelMaker model(22);
  model.Input("x", {2, 2}).Node("RandomNormalLike", {"x"}, {"y"}, {{"scale", 0.0}}).Output("y");
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Counting({2, 2})}})[0]), ElementsAre(0, 0, 0, 0));
}

TEST(OnnxRandom, DrawsLikeItsInput) {
  ModelMaker model(22);
  model.Input("x", {10, 200}).Node("RandomNormalLike", {"x"}, {"n"}).Node("RandomUniformLike", {"x"}, {"u"});
  model.Output("n").Output("u");
  const auto results = RunOnnx(model.Bytes(), {{"x", Counting({10, 200})}});
  EXPECT_EQ(results[0].shape(), (Shape{10, 200}));
  EXPECT_NEAR(MomentsOf(Values(results[0])).deviation, 1, 0.1);
  EXPECT_NEAR(MomentsOf(Values(results[1])).mean, 0.5, 0.1);
}

TEST(OnnxRandom, DrawsTruthsAndClassesByTheirChances) {
  ModelMaker model(22);
  model.Input("p", {2000}).Node("Bernoulli", {"p"}, {"truth"}, {{"dtype", int64_t{6}}}).Output("truth");
  model.Weight("logits", {1, 3}, {std::log(0.2F), std::log(0.5F), std::log(0.3F)});
  model.Input("zero", {1, 1}).Node("Add", {"logits", "zero"}, {"given"});
  model.Node("Multinomial", {"given"}, {"classes"}, {{"sample_size", int64_t{4000}}}).Output("classes");
  Tensor chances(DType::kFloat32, {2000});
  for (int64_t i = 0; i < 2000; ++i) chances.Set(i, 0.25);
  const auto results = RunOnnx(model.Bytes(), {{"p", chances}, {"zero", Tensor(DType::kFloat32, {1, 1})}});
  EXPECT_NEAR(MomentsOf(Values(results[0])).mean, 0.25, 0.05);
  std::vector<float> counts(3);
  for (const float c : Values(results[1])) counts.at(static_cast<size_t>(c)) += 1.0F / 4000;
  EXPECT_THAT(counts, testing::Pointwise(testing::FloatNear(0.04F), {0.2F, 0.5F, 0.3F}));
}

TEST(OnnxDropout, DropsAndGrowsWhileItLearns) {
  ModelMaker model(22);
  model.Input("x", {4000}).Weight("ratio", {}, {0.75F}).Integers("learns", 9, {}, {1});
  model.Node("Dropout", {"x", "ratio", "learns"}, {"y", "kept"}, {{"seed", int64_t{3}}}).Output("y").Output("kept");
  Tensor ones(DType::kFloat32, {4000});
  for (int64_t i = 0; i < 4000; ++i) ones.Set(i, 1);
  const auto results = RunOnnx(model.Bytes(), {{"x", ones}});
  for (int64_t i = 0; i < 4000; ++i) ASSERT_EQ(results[0].At(i), 4 * results[1].At(i)) << i;
  EXPECT_NEAR(MomentsOf(Values(results[1])).mean, 0.25, 0.05);
}

}  // namespace
}  // namespace hone
