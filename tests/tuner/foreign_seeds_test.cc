#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/tuner/fake_run.h"
#include "tuner/elsewhere/known_elsewhere.h"

namespace hone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ForeignTrial Trial(const std::string& id, const std::string& schedule, const std::string& config, int64_t cost_ns) {
  ForeignTrial trial;
  trial.id = id;
  trial.target = "llvm -mcpu=made-up";
  trial.task = "dense_pack.x86";
  trial.workload = "nn.dense data=16x64 weight=64x64 dtype=float32 epilogue=none";
  trial.schedule = schedule;
  trial.config = Config::Parse(config);
  trial.cost_ns = cost_ns;
  return trial;
}

class ForeignSeedsTest : public ::testing::Test {
 protected:
  ~ForeignSeedsTest() override { std::filesystem::remove_all(folder_); }
  std::vector<std::string> Seeds(const std::string& epilogue = "bias_act") const {
    const Workload workload = Workload::Parse("nn.dense data=16x64 weight=64x64 dtype=float32 epilogue=" + epilogue);
    const SearchTask task{workload, MachineModelFor(target_), {}, nullptr};
    const SearchSpace space(task);
    std::vector<std::string> texts;
    for (const Proposal& seed : ForeignSeeds(*store_, workload, space, target_)) {
      EXPECT_TRUE(space.Valid(seed));
      texts.push_back(std::to_string(seed.config.Get("oc_block", 0)) + "x" +
                      std::to_string(seed.config.Get("tile_m", 0)));
    }
    return texts;
  }
  std::filesystem::path folder_ = [] {
    std::string pattern = (std::filesystem::temp_directory_path() / "hone_seeds_XXXXXX").string();
    return std::filesystem::path(mkdtemp(pattern.data()));
  }();
  std::unique_ptr<RecordStore> store_ = RecordStore::Open(folder_ / "r.db");
  Target target_ = Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=haswell");
};

TEST_F(ForeignSeedsTest, TheFastestComeFirstAsTheNearestOfTheSpace) {
  store_->AppendForeign(
      {Trial("1", "dense_pack", "oc_block=8 tile_m=4", 900), Trial("2", "dense_pack", "oc_block=16 tile_m=2", 100)});
  EXPECT_THAT(Seeds(), ElementsAre("16x2", "8x4"));
  EXPECT_THAT(Seeds("none"), ElementsAre("16x2", "8x4")) << "whatever is fused";
}

TEST_F(ForeignSeedsTest, FailuresOtherShapesAndOtherArchitecturesSeedNothing) {
  ForeignTrial failed = Trial("1", "dense_pack", "oc_block=8 tile_m=4", 0);
  failed.fate = Fate::kTimedOut;
  ForeignTrial other = Trial("2", "dense_pack", "oc_block=8 tile_m=4", 5);
  other.workload = "nn.dense data=17x64 weight=64x64 dtype=float32 epilogue=none";
  ForeignTrial arm = Trial("3", "dense_pack", "oc_block=8 tile_m=4", 5);
  arm.task = "dense_pack.arm_cpu";
  store_->AppendForeign({failed, other, arm, Trial("4", "no_such_schedule", "oc_block=8 tile_m=4", 5)});
  EXPECT_THAT(Seeds(), IsEmpty());
}

TEST_F(ForeignSeedsTest, ConfigsThatMeanTheSameHereAreOneSeed) {
  store_->AppendForeign({Trial("1", "dense_pack", "oc_block=8 tile_m=4", 1),
                         Trial("2", "dense_pack", "oc_block=8 tile_oc=1 tile_m=4", 2)});
  EXPECT_EQ(Seeds().size(), 1U);
}

TEST_F(ForeignSeedsTest, TargetsTakeTurns) {
  std::vector<ForeignTrial> trials = {Trial("1", "dense_pack", "oc_block=8 tile_m=1", 10),
                                      Trial("2", "dense_pack", "oc_block=8 tile_m=2", 20),
                                      Trial("3", "dense_pack", "oc_block=16 tile_m=4", 9000)};
  trials[2].target = "llvm -mcpu=slow";
  store_->AppendForeign(trials);
  EXPECT_THAT(Seeds(), ElementsAre("8x1", "16x4", "8x2"));
}

TEST(ForeignDistanceTest, HowColumnsAreSplitIsTheMachines) {
  const Config foreign = Config::Parse("oc_block=32 tile_oc=1 tile_ow=7");
  EXPECT_EQ(ForeignDistance(Config::Parse("oc_block=8 tile_oc=4 tile_ow=7 prefetch=1"), foreign), 0);
  EXPECT_EQ(ForeignDistance(Config::Parse("oc_block=8 tile_oc=2 tile_ow=7"), foreign), 1);
  EXPECT_GT(ForeignDistance(Config::Parse("oc_block=8 tile_oc=4 tile_ow=6"), foreign), 0);
}

class SeededRun : public testing::FakeRun {};

TEST_F(SeededRun, SeedsAreTimedRightBehindTheDefaultAndNeverTwice) {
  const std::vector<std::string> configs = {"a=1 b=1 c=1 d=1", "a=2 b=1 c=1 d=1"};
  int id = 0;
  for (const std::string& config : configs) {
    ++id;
    ForeignTrial trial = Trial(std::to_string(id), std::string(schedule_.name()), config, id);
    trial.workload = tasks_[0].workload.ToText();
    store_->AppendForeign({trial});
  }
  options_.context.target = Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=haswell");
  options_.budget.trials = 40;
  const TuneReport report = Tune();
  EXPECT_EQ(report.tasks[0].seeded, 2);
  EXPECT_EQ(report.tasks[1].seeded, 0);
  std::vector<std::string> order;
  for (const TuneEvent& event : events_) {
    if (event.kind == TuneEventKind::kTrial && event.task == tasks_[0].workload.ToText()) order.push_back(event.config);
  }
  ASSERT_GT(order.size(), 3U);
  EXPECT_EQ(order[1], configs[0]);
  EXPECT_EQ(order[2], configs[1]);
  ExpectNoneTwice();
}

}  // namespace
}  // namespace hone
