// Layers that carry a state from one position to the next.
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

Tensor Floats(const Shape& shape, const std::vector<float>& values) {
  return Tensor::FromVector<float>(DType::kFloat32, shape, values);
}

auto Near(const std::vector<float>& values) { return Pointwise(FloatNear(1e-5F), values); }

struct Attended {
  std::vector<float> y, state;
};

ModelMaker AttentionModel(const std::string& rule, const std::vector<std::string>& inputs, double scale = 1) {
  ModelMaker model(28);
  for (const std::string& name : inputs) {
    if (!name.empty()) model.Input(name, {1, 2, 1});
  }
  const Attributes attributes{
      {"q_num_heads", int64_t{1}}, {"kv_num_heads", int64_t{1}}, {"update_rule", rule}, {"scale", scale}};
  model.Node("LinearAttention", inputs, {"y", "s"}, attributes).Output("y").Output("s");
  return model;
}

// Attention over two positions with one head, whose vectors have one element.
Attended Attend(const std::string& rule, const std::vector<std::string>& inputs, double scale = 1) {
  const std::map<std::string, Tensor> all{{"q", Floats({1, 2, 1}, {1, 2})},
                                          {"k", Floats({1, 2, 1}, {3, 4})},
                                          {"v", Floats({1, 2, 1}, {5, 6})},
                                          {"decay", Floats({1, 2, 1}, {0, std::log(2.0F)})},
                                          {"beta", Floats({1, 2, 1}, {0.5F, 0.5F})}};
  std::map<std::string, Tensor> given;
  for (const std::string& name : inputs) {
    if (!name.empty()) given.emplace(name, all.at(name));
  }
  const auto results = RunOnnx(AttentionModel(rule, inputs, scale).Bytes(), given);
  return {Values(results[0]), Values(results[1])};
}

TEST(OnnxLinearAttention, UpdatesItsStateByEachRule) {
  EXPECT_THAT(Attend("linear", {"q", "k", "v"}).y, Near({15, 78}));
  EXPECT_THAT(Attend("linear", {"q", "k", "v"}).state, Near({39}));
  EXPECT_THAT(Attend("gated", {"q", "k", "v", "", "decay"}).y, Near({15, 108}));
  EXPECT_THAT(Attend("delta", {"q", "k", "v", "", "", "beta"}).y, Near({7.5F, -81}));
  // The second position sees the state 15: v = (6 - 60) / 2.
  EXPECT_THAT(Attend("gated_delta", {"q", "k", "v", "", "decay", "beta"}).y, Near({7.5F, -186}));
  EXPECT_THAT(Attend("linear", {"q", "k", "v"}, 0.5).y, Near({7.5F, 39}));
}

TEST(OnnxLinearAttention, SharesStatesAmongQueriesAndTakesThePast) {
  ModelMaker model(28);
  model.Input("q", {1, 1, 4}).Input("k", {1, 1, 2}).Input("v", {1, 1, 1}).Input("s", {1, 1, 2, 1});
  const Attributes attributes{{"q_num_heads", int64_t{2}}, {"kv_num_heads", int64_t{1}}, {"update_rule", "linear"}};
  model.Node("LinearAttention", {"q", "k", "v", "s"}, {"y", "next"}, attributes).Output("y").Output("next");
  const auto results = RunOnnx(model.Bytes(), {{"q", Floats({1, 1, 4}, {1, 0, 0, 1})},
                                               {"k", Floats({1, 1, 2}, {2, 3})},
                                               {"v", Floats({1, 1, 1}, {5})},
                                               {"s", Floats({1, 1, 2, 1}, {100, 200})}});
  const float scale = 1 / std::sqrt(2.0F);
  EXPECT_THAT(Values(results[1]), Near({110, 215}));
  EXPECT_THAT(Values(results[0]), Pointwise(FloatNear(1e-4F), {110 * scale, 215 * scale}));
}

TEST(OnnxLinearAttention, RefusesInputsThatItsRuleHasNot) {
  EXPECT_THAT(ImportError(AttentionModel("gated", {"q", "k", "v"}).Bytes()),
              HasSubstr("update_rule=gated and decay do not fit"));
  EXPECT_THAT(ImportError(AttentionModel("best", {"q", "k", "v"}).Bytes()), HasSubstr("update_rule=\"best\""));
}

std::vector<std::vector<float>> Causal(const std::vector<std::string>& inputs, const std::string& activation) {
  ModelMaker model(28);
  model.Input("x", {1, 1, 3}).Weight("w", {1, 1, 2}, {1, 10}).Weight("b", {1}, {1}).Weight("past", {1, 1, 1}, {5});
  model.Node("CausalConvWithState", inputs, {"y", "next"}, {{"activation", activation}}).Output("y").Output("next");
  const auto results = RunOnnx(model.Bytes(), {{"x", Counting({1, 1, 3})}});
  return {Values(results[0]), Values(results[1])};
}

TEST(OnnxCausalConv, SeesThePastAlone) {
  EXPECT_THAT(Causal({"x", "w"}, "none")[0], ElementsAre(0, 10, 21));
  EXPECT_THAT(Causal({"x", "w"}, "none")[1], ElementsAre(2));
  EXPECT_THAT(Causal({"x", "w", "b"}, "none")[0], ElementsAre(1, 11, 22));
  EXPECT_THAT(Causal({"x", "w", "", "past"}, "none")[0], ElementsAre(5, 10, 21));
  EXPECT_THAT(Causal({"x", "w", "", "past"}, "silu")[0],
              Near({5 / (1 + std::exp(-5.0F)), 10 / (1 + std::exp(-10.0F)), 21}));
}

TEST(OnnxCausalConv, RefusesAnActivationOfAnotherName) {
  ModelMaker model(28);
  model.Input("x", {1, 1, 3}).Weight("w", {1, 1, 2}, {1, 10});
  model.Node("CausalConvWithState", {"x", "w"}, {"y"}, {{"activation", "relu"}}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("activation=\"relu\" is not known"));
}

}  // namespace
}  // namespace hone
