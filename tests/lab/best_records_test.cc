#include "lab/records/best_records.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

const char* const kConv = "nn.conv2d data=1x8x8x8 weight=8x8x3x3 padding=1x1x1x1";

// Only the CPU tells machines apart: all have the same name.
Record Timed(const char* workload, const std::string& model, int64_t ns) {
  Record record;
  record.candidate.workload = Workload::Parse(workload);
  record.candidate.target.cpu = "znver3";
  record.measurement.environment.cpu_model = "AMD EPYC";
  record.measurement.environment.cpu_id = "AuthenticAMD-25-" + model + "-0";
  record.measurement.samples_ns = {ns + 5, ns};
  return record;
}

TEST(BestOf, KeepsTheQuickestPerWorkloadAndDevice) {
  const auto best = BestOf({Timed(kConv, "A", 300), Timed(kConv, "A", 200), Timed(kConv, "B", 900)});
  ASSERT_EQ(best.size(), 2u);
  EXPECT_EQ(best[0].measurement.MinNs(), 200);
}

TEST(BestOf, PassesOverWhatFailedOrIsNoisy) {
  Record noisy = Timed(kConv, "A", 10), wrong = Timed(kConv, "A", 5);
  noisy.measurement.noisy = true;
  wrong.measurement.fate = Fate::kWrongOutput;
  wrong.candidate.config = Config::Parse("a=1");
  const auto best = BestOf({noisy, wrong, Timed(kConv, "A", 100)});
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0].measurement.MinNs(), 100);
}

TEST(BestOf, PassesOverWhatAnEmulatorTimed) {
  Record emulated = Timed(kConv, "A", 10);
  emulated.measurement.environment.emulated = true;
  EXPECT_TRUE(BestOf({emulated}).empty());
  EXPECT_EQ(BestOf({emulated, Timed(kConv, "A", 100)}).size(), 1u);
}

TEST(BestOf, TakesTheWinnerOfFinalsAsABuildDoes) {
  Record lucky = Timed(kConv, "A", 80), winner = Timed(kConv, "A", 100), second = Timed(kConv, "A", 99);
  lucky.candidate.config = second.candidate.config = Config::Parse("a=1");
  winner.candidate.config = Config::Parse("a=2");
  lucky.session = winner.session = second.session = "run";
  winner.finals = {1, 1, 1, true};
  second.finals = {1, 1, 2, false};
  const auto best = BestOf({lucky, second, winner});
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0], winner);
}

TEST(BestOf, NeverComparesCacheModes) {
  Record warm = Timed(kConv, "A", 50);
  warm.timing.cache = CacheMode::kWarm;
  EXPECT_EQ(BestOf({warm, Timed(kConv, "A", 100)}).size(), 2u);
}

TEST(BestOf, LeavesOutWhatFailedSinceAsABuildDoes) {
  Record fast = Timed(kConv, "A", 80), slow = Timed(kConv, "A", 100);
  fast.candidate.config = Config::Parse("a=1");
  slow.candidate.config = Config::Parse("a=2");
  Record crashed = fast;
  crashed.measurement.fate = Fate::kCrashed;
  crashed.measurement.samples_ns.clear();
  crashed.timing.cache = CacheMode::kWarm;  // a kernel that crashes with warm caches crashes
  crashed.session = "later";
  const auto best = BestOf({fast, slow, crashed});
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0], slow);
}

}  // namespace
}  // namespace hone
