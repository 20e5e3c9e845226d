#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::ElementsAre;

constexpr int kLanes = 8;
constexpr int64_t kRows = 5;

IRModule Gathered(const ExprPtr& body) {
  const IRModule module = ModuleOf(body);
  const IRModule after = relay::InferType(GatherChannels(module, kLanes));
  ExpectSameMeaning(module, after);
  return after;
}

ExprPtr Shuffle(const ExprPtr& x, int64_t channels, int64_t groups, std::vector<int64_t> axes = {0, 2, 1, 3, 4}) {
  using Ints = std::vector<int64_t>;
  ExprPtr y = MakeCall("reshape", {x}, {{"newshape", Ints{2, groups, channels / groups, kRows, kRows}}});
  y = MakeCall("transpose", {y}, {{"axes", std::move(axes)}});
  return MakeCall("reshape", {y}, {{"newshape", Ints{2, channels, kRows, kRows}}});
}

ExprPtr Grouped(const ExprPtr& x, int64_t in, int64_t out, int64_t groups, int64_t kernel, int64_t stride = 1) {
  return MakeCall("nn.conv2d", {x, RandomConstant({out, in / groups, kernel, kernel}, 3)},
                  {{"groups", groups},
                   {"channels", out},
                   {"strides", std::vector<int64_t>{stride, stride}},
                   {"padding", std::vector<int64_t>(4, kernel / 2)},
                   {"kernel_size", std::vector<int64_t>{kernel, kernel}}});
}

ExprPtr Bias(const ExprPtr& x, int64_t channels) { return MakeCall("nn.bias_add", {x, RandomConstant({channels}, 4)}); }

ExprPtr Image() { return Input("x", {2, 12, kRows, kRows}); }

TEST(GatherChannels, AShuffleIsASelection) {
  EXPECT_THAT(OpNames(Gathered(Shuffle(Image(), 12, 3))), ElementsAre("take"));
  EXPECT_THAT(OpNames(Gathered(Shuffle(Shuffle(Image(), 12, 3), 12, 4))), ElementsAre("take"));
}

TEST(GatherChannels, OtherTransposesStay) {
  EXPECT_THAT(OpNames(Gathered(Shuffle(Image(), 12, 3, {0, 2, 1, 4, 3}))),
              ElementsAre("reshape", "transpose", "reshape"));
}

TEST(GatherChannels, SelectionsSinkBelowWhatTreatsChannelsAlike) {
  ExprPtr x = Grouped(Shuffle(Image(), 12, 3), 12, 12, 12, 3, 2);
  x = MakeCall("nn.relu", {Bias(x, 12)});
  EXPECT_THAT(OpNames(Gathered(x)), ElementsAre("nn.conv2d", "nn.bias_add", "nn.relu", "take"));
}

TEST(GatherChannels, SelectionsStayAboveWhatMixesChannels) {
  EXPECT_THAT(OpNames(Gathered(Grouped(Shuffle(Image(), 12, 3), 12, 6, 3, 1))), ElementsAre("take", "nn.conv2d"));
}

TEST(GatherChannels, SelectionsThatOthersSeeStay) {
  const ExprPtr shuffled = Shuffle(Image(), 12, 3);
  const IRModule after = Gathered(MakeCall("add", {Bias(shuffled, 12), shuffled}));
  EXPECT_THAT(OpNames(after), ElementsAre("take", "nn.bias_add", "add"));
}

int64_t ChannelsOfFirstConv(const IRModule& module) {
  int64_t channels = 0;
  for (const ExprPtr& expr : PostOrder(module.main->body)) {
    if (relay::AsCallTo(expr, "nn.conv2d") != nullptr && channels == 0) channels = expr->type->shape[1];
  }
  return channels;
}

TEST(GatherChannels, GroupsBeforeASelectionFillVectors) {
  const ExprPtr conv = MakeCall("nn.relu", {Bias(Grouped(Image(), 12, 18, 3, 1), 18)});
  EXPECT_EQ(ChannelsOfFirstConv(Gathered(Shuffle(conv, 18, 3))), 24);
  const ExprPtr depthwise = Grouped(Shuffle(conv, 18, 3), 18, 18, 18, 3);
  const IRModule after = Gathered(depthwise);
  EXPECT_THAT(OpNames(after), ElementsAre("nn.conv2d", "nn.bias_add", "nn.relu", "nn.conv2d", "take"));
}

TEST(GatherChannels, GroupsThatLeaveVectorsIdleGetASelectionOfTheirOwn) {
  const ExprPtr sum = MakeCall("add", {Bias(Grouped(Image(), 12, 9, 3, 3), 9), Input("y", {2, 9, kRows, kRows})});
  const IRModule after = Gathered(sum);
  EXPECT_EQ(ChannelsOfFirstConv(after), 24);
  EXPECT_THAT(OpNames(after), ElementsAre("nn.conv2d", "nn.bias_add", "take", "add"));
}

TEST(GatherChannels, GroupsThatFillVectorsOrWouldWasteThemStay) {
  EXPECT_EQ(ChannelsOfFirstConv(Gathered(Shuffle(Grouped(Image(), 12, 48, 3, 1), 48, 3))), 48);
  EXPECT_EQ(ChannelsOfFirstConv(Gathered(Shuffle(Grouped(Image(), 12, 6, 3, 1), 6, 3))), 6);
}

TEST(GatherChannels, SeveralOutputsForEachChannelAreDepthwise) {
  const IRModule after = Gathered(Bias(Grouped(Image(), 12, 36, 12, 3), 36));
  EXPECT_THAT(OpNames(after), ElementsAre("take", "nn.conv2d", "nn.bias_add"));
  EXPECT_THAT(OpNames(Gathered(Grouped(Image(), 12, 96, 12, 3))), ElementsAre("nn.conv2d"))
      << "8 outputs fill a vector";
}

}  // namespace
}  // namespace hone::testing
