#include "tuner/search/features.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tuner/fake_tuning.h"
#include "tuner/search/boosted_trees.h"

namespace hone {
namespace {

using testing::FakeSchedule;

Workload Pointwise() {
  return Workload::Parse("nn.conv2d data=1x64x56x56 weight=128x64x1x1 strides=1x1 padding=0x0x0x0");
}

Features Of(const Schedule& schedule, const std::string& config, double estimate_ns = 10) {
  return FeaturesOf(schedule, Pointwise(), MachineModel(), Config::Parse(config), estimate_ns);
}

TEST(FeaturesOf, DoesNotDependOnTheOrderOfKnobs) {
  const Schedule& direct = *FindSchedule("conv2d_direct");
  EXPECT_EQ(Of(direct, "oc_block=16 tile_ow=6"), Of(direct, "tile_ow=6 oc_block=16"));
}

TEST(FeaturesOf, TakesAKnobLeftOutForItsDefault) {
  const Schedule& direct = *FindSchedule("conv2d_direct");
  EXPECT_EQ(Of(direct, "oc_block=16"), Of(direct, "oc_block=16 tile_oc=1 prefetch=0"));
  EXPECT_NE(Of(direct, "oc_block=16"), Of(direct, "oc_block=16 prefetch=1"));
}

TEST(FeaturesOf, TellsSchedulesKnobsWorkAndEstimateApart) {
  const FakeSchedule s("s"), t("t");
  const MachineModel machine;
  const Config config = Config::Parse("a=1 d=2");
  const Features features = FeaturesOf(s, Pointwise(), machine, config, 10);
  Workload wider = Pointwise();
  wider.weight[0] = 256;
  EXPECT_NE(FeaturesOf(s, wider, machine, config, 10), features);
  EXPECT_NE(FeaturesOf(t, Pointwise(), machine, config, 10), features);
  EXPECT_NE(FeaturesOf(s, Pointwise(), machine, Config::Parse("a=1 d=3"), 10), features);
  EXPECT_NE(FeaturesOf(s, Pointwise(), machine, config, 20), features);
}

TEST(FeaturesOf, HasAColumnForEveryKnobOfEverySchedule) {
  for (const Schedule* schedule : AllSchedules()) {
    for (const KnobRow& knob : schedule->Knobs()) {
      EXPECT_NE(std::find(KnobColumns().begin(), KnobColumns().end(), knob.name), KnobColumns().end())
          << schedule->name() << " " << knob.name;
    }
  }
}

// The rows of a dense layer's register tile and the outputs of a convolution's tile are the same feature.
TEST(FeaturesOf, ComparesRegisterTilesWhateverTheirKnobsAreCalled) {
  const Workload dense = Workload::Parse("nn.dense data=64x256 weight=256x256");
  const Schedule& pack = *FindSchedule("dense_pack");
  const Config narrow = Config::Parse("oc_block=16 tile_m=1"), high = Config::Parse("oc_block=16 tile_m=8");
  const Features one = FeaturesOf(pack, dense, MachineModel(), narrow, 10);
  const Features eight = FeaturesOf(pack, dense, MachineModel(), high, 10);
  int differing = 0;
  for (size_t i = 0; i < kFeatures; ++i) differing += one[i] != eight[i] ? 1 : 0;
  EXPECT_GE(differing, 4);  // the knob, registers, loads for each multiply-add, tiles
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
