#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/quantised/quantised_passes.h"
#include "compiler/relay/infer_type.h"
#include "core/random.h"
#include "tests/compiler/passes/quantised_layers.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::ElementsAre;
using Ints = std::vector<int64_t>;

ExprPtr Bytes(const Shape& shape) {
  const ExprPtr shifted =
      MakeCall("multiply", {MakeCall("add", {Input("x", shape), ScalarConstant(3)}), ScalarConstant(40)});
  const ExprPtr bounded = MakeCall("clip", {MakeCall("round", {shifted})}, {{"a_min", 0.0}, {"a_max", 255.0}});
  return MakeCall("cast", {bounded}, {{"dtype", std::string("uint8")}});
}

ExprPtr Weight(const Shape& shape) {
  Tensor weight(DType::kInt8, shape);
  Random random(7);
  for (int64_t i = 0; i < weight.elements(); ++i) weight.Set(i, static_cast<double>(random.Below(256)) - 128);
  return relay::MakeConstant(weight);
}

ExprPtr Conv(const ExprPtr& bytes, const Shape& weight, relay::Attrs attrs = {}) {
  attrs.Set("kernel_size", Ints{weight[2], weight[3]});
  attrs.Set("out_dtype", std::string("int32"));
  return MakeCall("nn.conv2d", {bytes, Weight(weight)}, attrs);
}

IRModule Moved(const IRModule& module) { return relay::InferType(TapsAsChannels(module)); }

// The filters' shape after the pass. Checks that the results are unchanged.
Shape Filters(const ExprPtr& conv) {
  const IRModule module = ModuleOf(conv), moved = Moved(module);
  ExpectSameMeaning(module, moved, 0);
  return ShapeOf(relay::AsCallTo(moved.main->body, "nn.conv2d")->args[1]);
}

TEST(TapsAsChannels, FourTapsOfOneChannelAreOneStep) {
  const ExprPtr x = Bytes({2, 1, 9, 11});
  EXPECT_THAT(Filters(Conv(x, {6, 1, 5, 5}, {{"padding", Ints{2, 2, 2, 2}}})), ElementsAre(6, 4, 5, 2));
  EXPECT_THAT(Filters(Conv(x, {3, 1, 3, 3}, {{"padding", Ints{1, 0, 2, 1}}})), ElementsAre(3, 4, 3, 1));
  EXPECT_THAT(Filters(Conv(x, {3, 1, 2, 8})), ElementsAre(3, 4, 2, 2));
}

TEST(TapsAsChannels, TwoTapsOfTwoChannelsAreOneStep) {
  const ExprPtr x = Bytes({1, 2, 8, 10});
  EXPECT_THAT(Filters(Conv(x, {5, 2, 3, 3}, {{"padding", Ints{1, 1, 1, 1}}})), ElementsAre(5, 4, 3, 2));
}

TEST(TapsAsChannels, StridesAndDilationsStayBetweenTheSameTaps) {
  const ExprPtr x = Bytes({1, 1, 20, 23});
  EXPECT_THAT(Filters(Conv(x, {4, 1, 3, 7}, {{"strides", Ints{2, 3}}, {"padding", Ints{1, 3, 1, 3}}})),
              ElementsAre(4, 4, 3, 2));
  EXPECT_THAT(Filters(Conv(x, {4, 1, 3, 6},
                           {{"strides", Ints{1, 2}}, {"dilation", Ints{2, 3}}, {"padding", Ints{2, 6, 2, 6}}})),
              ElementsAre(4, 4, 3, 2));
}

// A filter of one column gives up its rows, and so does any filter where that leaves fewer steps.
TEST(TapsAsChannels, TheAxisWithFewerStepsIsTaken) {
  const ExprPtr signal = Bytes({1, 1, 40, 1});
  EXPECT_THAT(Filters(Conv(signal, {8, 1, 9, 1}, {{"strides", Ints{3, 1}}, {"padding", Ints{4, 0, 4, 0}}})),
              ElementsAre(8, 4, 3, 1));
  EXPECT_THAT(Filters(Conv(Bytes({1, 1, 12, 12}), {8, 1, 8, 5})), ElementsAre(8, 4, 2, 5));
}

TEST(TapsAsChannels, ABorderThatIsThereGrows) {
  const ExprPtr x =
      MakeCall("nn.pad", {Bytes({1, 1, 6, 7})}, {{"pad_width", Ints{0, 0, 0, 0, 2, 2, 2, 2}}, {"pad_value", 128.0}});
  const ExprPtr conv = Conv(x, {4, 1, 5, 5});
  EXPECT_THAT(Filters(conv), ElementsAre(4, 4, 5, 2));
  EXPECT_EQ(CountOf(Moved(ModuleOf(conv)), "nn.pad"), 1);
  // The existing border is kept, because its bytes differ from the new padding's.
  const ExprPtr padded = Conv(x, {4, 1, 5, 5}, {{"padding", Ints{1, 1, 1, 1}}});
  EXPECT_THAT(Filters(padded), ElementsAre(4, 4, 5, 2));
  EXPECT_EQ(CountOf(Moved(ModuleOf(padded)), "nn.pad"), 2);
}

TEST(TapsAsChannels, OthersStay) {
  const auto stays = [](const ExprPtr& conv) {
    const IRModule module = ModuleOf(conv);
    return TapsAsChannels(module).main == module.main;
  };
  EXPECT_TRUE(stays(Conv(Bytes({1, 3, 8, 8}), {4, 3, 3, 3}))) << "three channels of four are full";
  EXPECT_TRUE(stays(Conv(Bytes({1, 1, 8, 8}), {4, 1, 1, 1}))) << "one tap";
  EXPECT_TRUE(stays(Conv(Bytes({1, 4, 8, 8}), {4, 1, 3, 3}, {{"groups", int64_t{4}}}))) << "depthwise";
  const ExprPtr floats = MakeCall("nn.conv2d", {Input("x", {1, 1, 8, 8}), RandomConstant({4, 1, 3, 3}, 1)});
  EXPECT_TRUE(stays(floats));
}

}  // namespace
}  // namespace hone::testing
