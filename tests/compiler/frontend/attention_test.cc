// Attention and RotaryEmbedding against small cases worked out by hand.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;
using Attributes = std::vector<std::pair<std::string, TestAttribute>>;

Tensor Reals(const Shape& shape, const std::vector<float>& values) {
  return Tensor::FromVector(DType::kFloat32, shape, values);
}

// One head with two queries and two keys of one element each; the values are 10 and 20. `mask` is a further 2 x 2
// input.
std::vector<Tensor> Attend(const Attributes& attributes, const std::vector<float>& mask = {}) {
  ModelMaker model(23);
  model.Input("q", {1, 1, 2, 1}).Input("k", {1, 1, 2, 1}).Input("v", {1, 1, 2, 1});
  std::vector<std::string> inputs{"q", "k", "v"};
  if (!mask.empty()) {
    model.Weight("m", {2, 2}, mask);
    inputs.push_back("m");
  }
  model.Node("Attention", inputs, {"y", "", "", "s"}, attributes).Output("y").Output("s");
  return RunOnnx(
      model.Bytes(),
      {{"q", Reals({1, 1, 2, 1}, {0, 1})}, {"k", Reals({1, 1, 2, 1}, {1, 3})}, {"v", Reals({1, 1, 2, 1}, {10, 20})}});
}

// The mean of 10 and 20, weighted by the softmax of the scores.
float Mean(double a, double b) {
  const double x = std::exp(a), y = std::exp(b);
  return static_cast<float>((10 * x + 20 * y) / (x + y));
}

auto Near(const std::vector<float>& values) { return Pointwise(testing::FloatNear(1e-4F), values); }

TEST(OnnxAttention, WeighsValuesByScores) {
  const auto results = Attend({});
  EXPECT_THAT(Values(results[0]), Near({15, Mean(1, 3)}));
  EXPECT_THAT(Values(results[1]), ElementsAre(0, 0, 1, 3));
  EXPECT_THAT(Values(Attend({{"scale", 2.0}})[0]), Near({15, Mean(2, 6)}));
  EXPECT_THAT(Values(Attend({{"softcap", 2.0}})[0]), Near({15, Mean(2 * std::tanh(0.5), 2 * std::tanh(1.5))}));
}

// Two images of four keys, of which the first two and the first three respectively are not padding; two queries each.
// All scores are 0, so a result is the mean of the visible values among 1, 2, 3, 4.
std::vector<float> AttendPadded(const Attributes& attributes, bool padded = true) {
  ModelMaker model(25);
  model.Input("q", {2, 1, 2, 1}).Filled("k", {2, 1, 4, 1}, 1);
  model.Weight("v", {2, 1, 4, 1}, {1, 2, 3, 4, 1, 2, 3, 4}).Ints("n", {2, 3});
  std::vector<std::string> inputs{"q", "k", "v", "", "", ""};
  if (padded) inputs.push_back("n");
  model.Node("Attention", inputs, {"y"}, attributes).Output("y");
  return Values(RunOnnx(model.Bytes(), {{"q", Reals({2, 1, 2, 1}, {0, 0, 0, 0})}})[0]);
}

TEST(OnnxAttention, DoesNotSeePadding) {
  EXPECT_THAT(AttendPadded({}), Near({1.5F, 1.5F, 2, 2}));
  EXPECT_THAT(AttendPadded({{"is_causal", int64_t{1}}}), Near({1, 1.5F, 1.5F, 2}));
}

TEST(OnnxAttention, SeesThroughWindows) {
  const Attributes left{{"left_window_size", int64_t{0}}}, right{{"right_window_size", int64_t{1}}};
  EXPECT_THAT(AttendPadded(left, false), Near({2.5F, 3, 2.5F, 3}));
  EXPECT_THAT(AttendPadded(right, false), Near({1.5F, 2, 1.5F, 2}));
  EXPECT_THAT(AttendPadded({left[0], right[0]}), Near({1.5F, 2, 2.5F, 3}));
}

// A run may have more queries than keys, although its bounds have fewer. The last queries see nothing then.
TEST(OnnxAttention, GivesZerosBehindTheLastWindow) {
  ModelMaker model(25);
  model.Input("q", {1, 1, -1, 1}).Input("k", {1, -1, 1, 1});
  model.Node("Transpose", {"k"}, {"kt"}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
  model.Node("Attention", {"q", "kt", "kt"}, {"y"}, {{"left_window_size", int64_t{0}}}).Output("y");
  OnnxImportOptions options;
  options.ranges["d2"] = {1, 4};
  options.ranges["d1"] = {1, 8};
  const auto results =
      RunOnnx(model.Bytes(), {{"q", Reals({1, 1, 4, 1}, {0, 0, 0, 0})}, {"k", Reals({1, 2, 1, 1}, {1, 3})}}, options);
  EXPECT_THAT(Values(results[0]), Near({2, 3, 0, 0}));
}

// A mask of one key hides the other key.
TEST(OnnxAttention, AShortMaskHidesTheRest) {
  ModelMaker model(24);
  model.Input("q", {1, 1, 2, 1}).Filled("k", {1, 1, 3, 1}, 1).Weight("v", {1, 1, 3, 1}, {1, 2, 4});
  model.Weight("m", {2, 2}, {0, 0, 0, -1e30F}).Node("Attention", {"q", "k", "v", "m"}, {"y"}).Output("y");
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"q", Reals({1, 1, 2, 1}, {0, 0})}})[0]), Near({1.5F, 1}));
}

TEST(OnnxAttention, MasksWhatMayNotBeSeen) {
  const float inf = std::numeric_limits<float>::infinity();
  const Attributes causal{{"is_causal", int64_t{1}}, {"qk_matmul_output_mode", int64_t{2}}};
  EXPECT_THAT(Values(Attend(causal)[0]), Near({10, Mean(1, 3)}));
  EXPECT_THAT(Values(Attend(causal)[1]), ElementsAre(0, -inf, 1, 3));
  EXPECT_THAT(Values(Attend({}, {0, 1, 2, 0})[0]), Near({Mean(0, 1), 15}));
  EXPECT_THAT(Values(Attend({}, {-inf, -inf, 0, 0})[0]), Near({0, Mean(1, 3)}));
}

TEST(OnnxAttention, SharesKeysAmongHeadsAndKeepsThePast) {
  ModelMaker model(23);
  model.Input("q", {1, 1, 2}).Input("k", {1, 1, 1}).Input("v", {1, 1, 1}).Input("pk", {1, 1, 1, 1});
  model.Node("Attention", {"q", "k", "v", "", "pk", "pk"}, {"y", "nk"},
             {{"q_num_heads", int64_t{2}}, {"kv_num_heads", int64_t{1}}, {"is_causal", int64_t{1}}});
  model.Output("y").Output("nk");
  const auto results = RunOnnx(model.Bytes(), {{"q", Reals({1, 1, 2}, {0, 1})},
                                               {"k", Reals({1, 1, 1}, {3})},
                                               {"v", Reals({1, 1, 1}, {20})},
                                               {"pk", Reals({1, 1, 1, 1}, {10})}});
  EXPECT_EQ(results[0].shape(), (Shape{1, 1, 2}));
  EXPECT_THAT(Values(results[0]), Near({15, Mean(10, 3)}));
  EXPECT_THAT(Values(results[1]), ElementsAre(10, 3));
}

TEST(OnnxAttention, RefusesHeadsThatDoNotFit) {
  ModelMaker model(23);
  model.Input("q", {1, 1, 3}).Node("Attention", {"q", "q", "q"}, {"y"}, {{"q_num_heads", int64_t{2}}}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("q_num_heads is 2; it must divide 1x1x3"));
}

TEST(OnnxAttention, RefusesAnOutputModeThatThereIsNot) {
  for (const int64_t mode : {int64_t{-1}, int64_t{4}, int64_t{1} << 31}) {
    ModelMaker model(23);
    model.Input("q", {1, 1, 2, 1});
    model.Node("Attention", {"q", "q", "q"}, {"y", "", "", "s"}, {{"qk_matmul_output_mode", mode}})
        .Output("y")
        .Output("s");
    EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("0 to 3 are right"));
  }
}

TEST(OnnxRotaryEmbedding, TurnsPairs) {
  const auto turned = [](const Attributes& attributes) {
    ModelMaker model(23);
    model.Input("x", {1, 1, 1, 4}).Weight("c", {1, 1, 2}, {0, 1}).Weight("s", {1, 1, 2}, {1, 0});
    model.Node("RotaryEmbedding", {"x", "c", "s"}, {"y"}, attributes).Output("y");
    return Values(RunOnnx(model.Bytes(), {{"x", Reals({1, 1, 1, 4}, {1, 2, 3, 4})}})[0]);
  };
  // A quarter turn of the first pair; the second pair stays.
  EXPECT_THAT(turned({}), ElementsAre(-3, 2, 1, 4));
  EXPECT_THAT(turned({{"interleaved", int64_t{1}}}), ElementsAre(-2, 1, 3, 4));
  ModelMaker model(23);
  model.Input("x", {1, 1, 6}).Weight("c", {2, 1}, {1, 0}).Weight("s", {2, 1}, {0, 1}).Ints("p", {1});
  auto& positions = *model.graph().mutable_initializer(2);
  positions.clear_dims();
  positions.add_dims(1);
  positions.add_dims(1);
  model.Node("RotaryEmbedding", {"x", "c", "s", "p"}, {"y"},
             {{"num_heads", int64_t{2}}, {"rotary_embedding_dim", int64_t{2}}});
  model.Output("y");
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Reals({1, 1, 6}, {1, 2, 3, 4, 5, 6})}})[0]),
              ElementsAre(-2, 1, 3, -5, 4, 6));
}

}  // namespace
}  // namespace hone
