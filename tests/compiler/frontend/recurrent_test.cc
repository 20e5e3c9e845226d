// LSTM, GRU and RNN nodes of one unit, worked out by hand: the order of inputs and the layout of outputs.
#include <gmock/gmock.h>

#include <cmath>

#include "compiler/relay/printer.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;
using Attributes = std::vector<std::pair<std::string, TestAttribute>>;
using Names = std::vector<std::string>;

auto Near(const std::vector<float>& values) { return Pointwise(testing::FloatNear(1e-5F), values); }
float Sigmoid(double x) { return static_cast<float>(1 / (1 + std::exp(-x))); }

onnx::AttributeProto& NewAttribute(ModelMaker& model, const std::string& name) {
  auto& attribute = *model.graph().mutable_node(model.graph().node_size() - 1)->add_attribute();
  attribute.set_name(name);
  return attribute;
}

void Strings(ModelMaker& model, const std::string& name, const Names& values) {
  auto& attribute = NewAttribute(model, name);
  attribute.set_type(onnx::AttributeProto::STRINGS);
  for (const std::string& value : values) attribute.add_strings(value);
}

void Floats(ModelMaker& model, const std::string& name, const std::vector<float>& values) {
  auto& attribute = NewAttribute(model, name);
  attribute.set_type(onnx::AttributeProto::FLOATS);
  for (const float value : values) attribute.add_floats(value);
}

// An RNN of one unit, W = 1, R = 0.5, without an activation; two rows and three steps of 1, 2, ...
ModelMaker PlainRnn(const Attributes& attributes, const Names& more = {}, const Shape& x = {3, 2, 1}) {
  ModelMaker model(14);
  model.Input("x", x).Weight("w", {1, 1, 1}, {1}).Weight("r", {1, 1, 1}, {0.5F}).Weight("b", {1, 2}, {10, 20});
  model.Weight("h", {1, 2, 1}, {100, 200}).Integers("n", 6, {2}, {1, 2});
  Names inputs{"x", "w", "r"};
  inputs.insert(inputs.end(), more.begin(), more.end());
  model.Node("RNN", inputs, {"y", "yh"}, attributes).Output("y").Output("yh");
  Strings(model, "activations", {"Affine"});
  return model;
}

std::vector<Tensor> RunIt(const ModelMaker& model, const Shape& x = {3, 2, 1}) {
  return RunOnnx(model.Bytes(), {{"x", Counting(x)}});
}

TEST(OnnxRecurrent, ReadsItsInputsInTheirOrder) {
  const auto plain = RunIt(PlainRnn({}));
  EXPECT_EQ(plain[0].shape(), (Shape{3, 1, 2, 1}));
  EXPECT_THAT(Values(plain[0]), ElementsAre(0, 1, 2, 3.5, 5, 6.75));
  EXPECT_THAT(Values(plain[1]), ElementsAre(5, 6.75));
  EXPECT_THAT(Values(RunIt(PlainRnn({}, {"b"}))[0]), ElementsAre(30, 31, 47, 48.5, 57.5, 59.25));
  EXPECT_THAT(Values(RunIt(PlainRnn({}, {"", "", "h"}))[1]), ElementsAre(17.5, 31.75));
  const auto lengths = RunIt(PlainRnn({}, {"", "n"}));
  EXPECT_THAT(Values(lengths[0]), ElementsAre(0, 1, 0, 3.5, 0, 0));
  EXPECT_THAT(Values(lengths[1]), ElementsAre(0, 3.5));
  EXPECT_THAT(Values(RunIt(PlainRnn({{"direction", "reverse"}}))[0]), ElementsAre(2, 3.75, 4, 5.5, 4, 5));
}

TEST(OnnxRecurrent, LayoutOneHasRowsFirst) {
  const Shape x{2, 3, 1};
  const auto results = RunIt(PlainRnn({{"layout", int64_t{1}}}, {}, x), x);
  EXPECT_EQ(results[0].shape(), (Shape{2, 3, 1, 1}));
  EXPECT_THAT(Values(results[0]), ElementsAre(0, 1, 2.5, 3, 5.5, 7.75));
  EXPECT_EQ(results[1].shape(), (Shape{2, 1, 1}));
  EXPECT_THAT(Values(results[1]), ElementsAre(2.5, 7.75));
}

TEST(OnnxRecurrent, FunctionsTakeTheirNumbersInTurn) {
  ModelMaker model(14);
  model.Input("x", {1, 1, 1}).Weight("w", {2, 1, 1}, {1, 1}).Weight("r", {2, 1, 1}, {0, 0});
  model.Node("RNN", {"x", "w", "r"}, {"y"}, {{"direction", "bidirectional"}}).Output("y");
  Strings(model, "activations", {"leakyrelu", "Affine"});
  Floats(model, "activation_alpha", {0.25F, 3});
  Floats(model, "activation_beta", {7});
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Tensor::Scalar(-4).Reshaped({1, 1, 1})}})[0]), ElementsAre(-1, -5));
}

TEST(OnnxRecurrent, LstmHasBothBiasesPeepholesAndACell) {
  ModelMaker model(14);
  model.Input("x", {1, 1, 1}).Weight("w", {1, 4, 1}, {1, 2, 3, 4}).Weight("r", {1, 4, 1}, {5, 6, 7, 8});
  model.Weight("b", {1, 8}, {.1F, .2F, .3F, .4F, .5F, .6F, .7F, .8F}).Weight("h", {1, 1, 1}, {-0.5F});
  model.Weight("c", {1, 1, 1}, {2}).Weight("p", {1, 3}, {.01F, .02F, .03F});
  model.Node("LSTM", {"x", "w", "r", "b", "", "h", "c", "p"}, {"", "yh", "yc"}).Output("yh").Output("yc");
  const auto results = RunOnnx(model.Bytes(), {{"x", Tensor::Scalar(1).Reshaped({1, 1, 1})}});
  const double i = 1 - 2.5 + 0.6 + 0.02, f = 3 - 3.5 + 1 + 0.06, g = 4 - 4 + 1.2;
  const double c = Sigmoid(f) * 2 + Sigmoid(i) * std::tanh(g), o = 2 - 3 + 0.8 + 0.02 * c;
  EXPECT_THAT(Values(results[1]), Near({static_cast<float>(c)}));
  EXPECT_THAT(Values(results[0]), Near({static_cast<float>(Sigmoid(o) * std::tanh(c))}));
}

TEST(OnnxRecurrent, GruResetsAsItIsTold) {
  for (const int64_t after : {0, 1}) {
    ModelMaker model(14);
    model.Input("x", {1, 1, 1}).Weight("w", {1, 3, 1}, {1, 2, 3}).Weight("r", {1, 3, 1}, {0.4F, 0.5F, 0.6F});
    model.Weight("b", {1, 6}, {.1F, .2F, .3F, .4F, .5F, .6F}).Weight("h", {1, 1, 1}, {2});
    model.Node("GRU", {"x", "w", "r", "b", "", "h"}, {"y"}, {{"linear_before_reset", after}}).Output("y");
    const auto results = RunOnnx(model.Bytes(), {{"x", Tensor::Scalar(-1).Reshaped({1, 1, 1})}});
    const double z = Sigmoid(-1 + 0.8 + 0.5), r = Sigmoid(-2 + 1 + 0.7);
    const double g = after ? -3 + 0.3 + r * (1.2 + 0.6) : -3 + 0.9 + r * 1.2;
    EXPECT_THAT(Values(results[0]), Near({static_cast<float>((1 - z) * std::tanh(g) + z * 2)})) << after;
  }
}

TEST(OnnxRecurrent, QuantisedWeightsAreTheirFloats) {
  ModelMaker model(14);
  model.Input("x", {1, 1, 1}).Integers("w", 3, {1, 1, 4}, {11, 12, 13, 14}).Integers("r", 3, {1, 1, 4}, {1, 1, 1, 1});
  model.Weight("ws", {1}, {0.5F}).Integers("wz", 3, {1}, {10}).Weight("rs", {1, 4}, {1, 2, 3, 4});
  model.Weight("h", {1, 1, 1}, {0.25F});
  model.Node("DynamicQuantizeLSTM", {"x", "w", "r", "", "", "h", "", "", "ws", "wz", "rs", ""}, {"", "", "yc"});
  model.Domain("com.microsoft").Output("yc");
  const auto results = RunOnnx(model.Bytes(), {{"x", Tensor::Scalar(1).Reshaped({1, 1, 1})}});
  EXPECT_THAT(Values(results[0]), Near({Sigmoid(0.5 + 0.25) * static_cast<float>(std::tanh(2 + 1.0))}));
}

// A DynamicQuantizeLSTM of one unit. Its recurrent weights are `r` less `zero`, of an ONNX element type.
ModelMaker QuantisedLstm(int type, const std::vector<int>& r, int zero) {
  ModelMaker model(14);
  model.Input("x", {1, 1, 1}).Integers("w", 3, {1, 1, 4}, {1, 2, 3, 4}).Integers("r", type, {1, 1, 4}, r);
  model.Weight("ws", {1}, {0.5F}).Weight("rs", {1}, {0.25F}).Integers("rz", type, {1}, {zero});
  model.Weight("h", {1, 1, 1}, {0.25F});
  model.Node("DynamicQuantizeLSTM", {"x", "w", "r", "", "", "h", "", "", "ws", "", "rs", "rz"}, {"", "", "yc"});
  model.Domain("com.microsoft").Output("yc");
  return model;
}

TEST(OnnxRecurrent, IntegersOfTheRecurrentWeightStayWhereInt8HoldsThem) {
  constexpr int kUInt8 = 2, kInt8 = 3;
  const auto cell = Near({Sigmoid(0.5 + 0.0625) * static_cast<float>(std::tanh(2 + 0.25))});
  const std::vector<std::tuple<int, std::vector<int>, int, bool>> cases{
      {kInt8, {1, 2, 3, 4}, 0, true}, {kUInt8, {129, 130, 131, 132}, 128, true}, {kUInt8, {1, 2, 3, 255}, 0, false}};
  for (const auto& [type, r, zero, stays] : cases) {
    const ModelMaker model = QuantisedLstm(type, r, zero);
    EXPECT_EQ(relay::ToText(ImportOnnxBytes(model.Bytes(), "test").module).find("scales=True") != std::string::npos,
              stays);
    if (r[3] == 255) continue;
    EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Tensor::Scalar(1).Reshaped({1, 1, 1})}})[0]), cell);
  }
}

TEST(OnnxRecurrent, RefusesWhatDoesNotFit) {
  EXPECT_THAT(ImportError(PlainRnn({{"direction", "both"}}).Bytes()),
              HasSubstr("node \"y\" (RNN): direction is \"both\""));
  EXPECT_THAT(ImportError(PlainRnn({{"hidden_size", int64_t{2}}}).Bytes()),
              HasSubstr("hidden_size is 2 and R is 1x1x1"));
  EXPECT_THAT(ImportError(PlainRnn({{"direction", "bidirectional"}}).Bytes()), HasSubstr("1 activation; it takes 2"));
  EXPECT_THAT(ImportError(PlainRnn({{"layout", int64_t{2}}}).Bytes()), HasSubstr("layout is 2; it may be 0 or 1"));
  EXPECT_THAT(ImportError(PlainRnn({{"clip", -1.0}}).Bytes()), HasSubstr("clip is -1; it may not be negative"));
  EXPECT_THAT(ImportError(PlainRnn({}, {"h"}).Bytes()), HasSubstr("B is 1x2x1, it must be 1x2"));
  ModelMaker model(14);
  model.Input("x", {1, 1, 1}).Weight("w", {1, 1, 1}, {1}).Node("RNN", {"x", "w", "w"}, {"y"}).Output("y");
  Strings(model, "activations", {"Sinus"});
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("the activation \"Sinus\" is not one of Sigmoid, Tanh"));
}

}  // namespace
}  // namespace hone
