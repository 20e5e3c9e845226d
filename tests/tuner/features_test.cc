#include "tuner/features.h"

#include <gtest/gtest.h>

#include "tuner/boosted_trees.h"

namespace hone {
namespace {

Workload Pointwise() {
  return Workload::Parse("nn.conv2d data=1x64x56x56 weight=128x64x1x1 strides=1x1 padding=0x0x0x0");
}

TEST(FeaturesOf, DoesNotDependOnTheOrderOfKnobs) {
  const MachineModel machine;
  const Proposal one{"s", Config::Parse("oc_block=16 tile_ow=6")}, two{"s", Config::Parse("tile_ow=6 oc_block=16")};
  EXPECT_EQ(FeaturesOf(Pointwise(), machine, one, 10), FeaturesOf(Pointwise(), machine, two, 10));
}

TEST(FeaturesOf, TellsSchedulesKnobsWorkAndEstimateApart) {
  const MachineModel machine;
  const Proposal base{"s", Config::Parse("oc_block=16 own=1")};
  const Features features = FeaturesOf(Pointwise(), machine, base, 10);
  Workload wider = Pointwise();
  wider.weight[0] = 256;
  EXPECT_NE(FeaturesOf(wider, machine, base, 10), features);
  EXPECT_NE(FeaturesOf(Pointwise(), machine, {"t", base.config}, 10), features);
  EXPECT_NE(FeaturesOf(Pointwise(), machine, {"s", Config::Parse("oc_block=16 own=2")}, 10), features);
  EXPECT_NE(FeaturesOf(Pointwise(), machine, base, 20), features);
}

TEST(FeaturesOf, TakesMoreUnknownKnobsThanItHasRoomFor) {
  const Proposal many{"s", Config::Parse("a=1 b=2 c=3 d=4 e=5 f=6")};
  FeaturesOf(Pointwise(), MachineModel(), many, 1);
}

std::vector<Features> Rows(int count) {
  std::vector<Features> rows(static_cast<size_t>(count), Features{});
  for (int i = 0; i < count; ++i) rows[static_cast<size_t>(i)][3] = static_cast<float>(i);
  return rows;
}

TEST(BoostedTrees, LearnAStep) {
  const std::vector<Features> rows = Rows(64);
  std::vector<float> targets(64, 1.0F);
  std::fill(targets.begin() + 40, targets.end(), 3.0F);
  const std::vector<float> got = BoostedTrees(rows, targets).Predict(rows);
  ASSERT_EQ(got.size(), 64U);
  EXPECT_NEAR(got[10], 1, 0.05);
  EXPECT_NEAR(got[60], 3, 0.05);
  EXPECT_EQ(got, BoostedTrees(rows, targets).Predict(rows));
}

TEST(BoostedTrees, OneRowGivesItsTarget) {
  EXPECT_NEAR(BoostedTrees(Rows(1), {0.5F}).Predict(Rows(1))[0], 0.5, 1e-3);
  EXPECT_TRUE(BoostedTrees(Rows(1), {0.5F}).Predict({}).empty());
}

}  // namespace
}  // namespace hone
