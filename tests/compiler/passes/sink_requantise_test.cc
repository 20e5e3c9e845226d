#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/quantised/quantised_passes.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/passes/quantised_layers.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::ElementsAre;

ExprPtr Joined(const std::vector<ExprPtr>& parts) {
  return MakeCall("concatenate", {relay::MakeTuple(parts)}, {{"axis", int64_t{1}}});
}

IRModule Sunk(const IRModule& lifted) { return relay::InferType(SinkRequantise(lifted)); }

// Squeezed channels, expanded by 1x1 and by 3x3 with scales of their own, joined with the scale of the next layer.
ExprPtr Fire(const ExprPtr& x, bool rectified, float left, float right, float whole) {
  const ExprPtr squeezed = BackAndForth(MakeCall("nn.relu", {QuantisedConv(x, 8, 8, 1, 1)}), 0.05F, 0);
  const auto expanded = [&](int64_t kernel, uint64_t seed, float step) {
    const ExprPtr sum = QuantisedConv(squeezed, 8, 16, kernel, seed);
    return rectified ? BackAndForth(MakeCall("nn.relu", {sum}), step, 0) : BackAndForth(sum, step, 110);
  };
  return BackAndForth(Joined({expanded(1, 2, left), expanded(3, 3, right)}), whole, rectified ? 0 : 120);
}

TEST(SinkRequantise, ProductsRoundTwiceForTheWholeThatTheyArePartsOf) {
  const ExprPtr x = BackAndForth(Input("x", {1, 8, 6, 6}), 0.02F, 0);
  const IRModule lifted = Lifted(QuantisedConv(Fire(x, false, 0.1F, 0.2F, 0.15F), 32, 4, 1, 4));
  const IRModule stored = Stored(Sunk(lifted));
  ExpectSameMeaning(lifted, stored, 0);
  EXPECT_THAT(Anchors(stored), ElementsAre("bytes to uint8: scale,quantise(1,0)",
                                           "bytes to uint8: scale,hold(-110,145,0.6666666),quantise(1,120)",
                                           "bytes to uint8: scale,hold(-110,145,1.3333333),quantise(1,120)",
                                           "bytes to float32: offset,scale"));
  for (const ExprPtr& expr : PostOrder(stored.main->body)) {
    if (relay::AsCallTo(expr, "concatenate") == nullptr) continue;
    EXPECT_EQ(expr->type->dtype, DType::kUInt8);
  }
}

TEST(SinkRequantise, BoundsFromZeroTakeTheReluAway) {
  const ExprPtr x = BackAndForth(Input("x", {1, 8, 6, 6}), 0.02F, 0);
  const IRModule lifted = Lifted(QuantisedConv(Fire(x, true, 0.1F, 0.15F, 0.15F), 32, 4, 1, 4));
  const IRModule stored = Stored(Sunk(lifted));
  ExpectSameMeaning(lifted, stored, 0);
  // A part with the scale of the concatenation is rounded once.
  EXPECT_THAT(Anchors(stored), ElementsAre("bytes to uint8: scale,quantise(1,0)",
                                           "bytes to uint8: scale,hold(0,255,0.6666666),quantise(1,0)",
                                           "bytes to uint8: scale,quantise(1,0)", "bytes to float32: scale"));
}

TEST(SinkRequantise, OneFactorTakesFromStepsToStepsWhereNoByteTellsItApart) {
  int divided = 0;
  for (int step = 1; step <= 40; ++step) {
    const ExprPtr x = BackAndForth(Input("x", {1, 8, 6, 6}), 0.02F, 0);
    const float own = 0.0107F * static_cast<float>(step);
    const IRModule lifted =
        Lifted(QuantisedConv(Fire(x, step % 2 == 0, step % 5 == 0 ? 0.04F : own, 0.2F, 0.16F), 32, 4, 1, 4));
    const IRModule stored = Stored(Sunk(lifted));
    ExpectSameMeaning(lifted, stored, 0);
    divided += Anchors(stored)[1].find("quantise(0.16,") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(divided, 0);
  EXPECT_LT(divided, 20);
}

TEST(SinkRequantise, LeavesWhatOthersReadToo) {
  const ExprPtr x = BackAndForth(Input("x", {1, 8, 6, 6}), 0.02F, 0);
  const ExprPtr joined = Joined({BackAndForth(QuantisedConv(x, 8, 8, 1, 1), 0.1F, 110), MakeCall("sigmoid", {x})});
  const IRModule both = Lifted(relay::MakeTuple({BackAndForth(joined, 0.15F, 120), joined}));
  EXPECT_EQ(SinkRequantise(both).main, both.main);
  const IRModule one = Lifted(BackAndForth(joined, 0.15F, 120));
  EXPECT_NE(SinkRequantise(one).main, one.main);
  ExpectSameMeaning(one, Sunk(one), 0);
}

}  // namespace
}  // namespace hone::testing
