// Two tuners on one store at the same time: the second runs from start to end in the middle of the first.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tuner/fake_run.h"
#include "tuner/tuning_loop.h"

namespace hone {
namespace {

class OtherTunersTest : public testing::FakeRun {
 protected:
  static constexpr int kTrials = 90;

  OtherTunersTest() {
    options_.budget.trials = kTrials;
    runner_.after_job = [this] {
      if (++jobs_ == kBegin) other_ = TuneElsewhere();
    };
  }

  // Tunes as another process would: with its own connection, runner and clock.
  TuneReport TuneElsewhere() {
    int64_t clock_ns = clock_ns_;
    testing::FakeRunner runner(&clock_ns);
    runner.cpu_id = other_cpu_;
    const TuneTools tools = testing::FakeTools({&schedule_}, &clock_ns);
    const auto store = RecordStore::Open(folder_ / "records.db");
    TuneOptions options = options_;
    options.seed = other_seed_;
    return TuningLoop(tasks_, options, runner, *store, tools, nullptr, nullptr).Run();
  }

  static constexpr int kBegin = 20;  // the first run's batch is half measured, and some of it is not in the store yet
  int jobs_ = 0;
  uint64_t other_seed_ = 7;
  std::string other_cpu_ = runner_.cpu_id;
  TuneReport other_;
};

TEST_F(OtherTunersTest, NeitherMeasuresWhatTheOtherHasMeasuredOrMeasures) {
  for (const char* strategy : {"model", "evolutionary", "grid", "random"}) {
    SCOPED_TRACE(strategy);
    options_.strategy = strategy;
    options_.seed = jobs_ = 0;
    options_.model = strategy;
    store_.reset();
    std::filesystem::remove(folder_ / "records.db");
    store_ = RecordStore::Open(folder_ / "records.db");
    EXPECT_EQ(Tune().trials, kTrials) << "the other's trials are not of our budget";
    EXPECT_EQ(other_.trials, kTrials);
    EXPECT_EQ(Recorded().size(), 2U * kTrials);
    ExpectNoneTwice();
  }
}

// One command in two terminals has the same run id and the same proposals.
TEST_F(OtherTunersTest, OfOneRunShareItsTrialsToo) {
  other_seed_ = options_.seed;
  EXPECT_EQ(Tune().trials, kTrials);
  EXPECT_EQ(other_.trials + other_.resumed, kTrials);
  ExpectNoneTwice();
}

TEST_F(OtherTunersTest, WhatTheOtherFoundIsKnown) {
  const TuneReport report = Tune();
  ASSERT_EQ(other_.tasks.size(), report.tasks.size());
  for (size_t i = 0; i < report.tasks.size(); ++i) {
    EXPECT_LE(report.tasks[i].best_ns, other_.tasks[i].best_ns);
    EXPECT_GT(report.tasks[i].default_ns, 0);
  }
}

TEST_F(OtherTunersTest, OfAnotherKindOfMachineMeasureForThemselves) {
  options_.strategy = "grid";
  other_cpu_ = "GenuineIntel-6-85-7";
  Tune();
  const auto times = Recorded();
  EXPECT_EQ(times.size(), static_cast<size_t>(kTrials));
  EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](const auto& one) { return one.second == 2; }));
}

}  // namespace
}  // namespace hone
