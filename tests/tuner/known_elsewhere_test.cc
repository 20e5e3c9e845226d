#include "tuner/elsewhere/known_elsewhere.h"

#include <gtest/gtest.h>

#include "tests/tuner/fake_run.h"

namespace hone {
namespace {

using testing::FakeWorkload;

// A store that was filled by a run of two tasks; the tests ask which parts of it another run may learn from.
class KnownElsewhereTest : public testing::FakeRun {
 protected:
  KnownElsewhereTest() {
    options_.budget.trials = 40;
    options_.context.threads = 1;
    Tune();
    here_.setup.target = options_.context.target;
    here_.setup.machine = FingerprintOf(runner_.Describe());
    here_.workloads = {FakeWorkload(1).ToText(), FakeWorkload(2).ToText()};
  }
  std::vector<Lesson> Lessons(const Workload& workload) const {
    return LessonsFrom(
        *store_, {workload, MachineModelFor(here_.setup.target, here_.setup.threads), {&schedule_}, nullptr}, here_);
  }
  MeasuredHere here_;
};

TEST_F(KnownElsewhereTest, WhatWasMeasuredHereIsNoLesson) { EXPECT_TRUE(Lessons(FakeWorkload(1)).empty()); }

TEST_F(KnownElsewhereTest, OtherThreadCountsTeach) {
  here_.setup.threads = 2;
  const std::vector<Lesson> lessons = Lessons(FakeWorkload(1));
  ASSERT_EQ(lessons.size(), 1U);
  EXPECT_EQ(lessons[0].search.workload, FakeWorkload(1));
  EXPECT_EQ(lessons[0].search.machine.threads, 1);
  EXPECT_GT(lessons[0].observations.size(), 5U);
  for (const Observation& o : lessons[0].observations) EXPECT_GT(o.min_ns, 0);
}

TEST_F(KnownElsewhereTest, ManyRecordsOfOurOwnHideNoOthers) {
  options_.context.threads = 2;
  options_.budget.trials = 3 * kLooked;
  options_.budget.early_stopping = 0;
  store_ = RecordStore::Open(folder_ / "many.db");
  Tune();
  options_.context.threads = 1;
  options_.budget.trials = 40;
  Tune();
  here_.setup.threads = 2;
  ASSERT_EQ(Lessons(FakeWorkload(1)).size(), 1U);
  EXPECT_EQ(Lessons(FakeWorkload(1))[0].search.machine.threads, 1);
}

TEST_F(KnownElsewhereTest, OtherMachinesTeach) {
  here_.setup.machine.model = "2";
  EXPECT_EQ(Lessons(FakeWorkload(1)).size(), 1U);
}

TEST_F(KnownElsewhereTest, OtherNetworksTeachTheNearestFirst) {
  here_.workloads = {FakeWorkload(64).ToText()};
  const std::vector<Lesson> lessons = Lessons(FakeWorkload(64));
  ASSERT_EQ(lessons.size(), 2U);
  EXPECT_EQ(lessons[0].search.workload, FakeWorkload(2));
  EXPECT_EQ(lessons[1].search.workload, FakeWorkload(1));
}

TEST_F(KnownElsewhereTest, AnOlderSchedulesRecordsTeachNothing) {
  here_.setup.threads = 2;
  schedule_.set_version(2);
  EXPECT_TRUE(Lessons(FakeWorkload(1)).empty());
}

TEST_F(KnownElsewhereTest, ConvolutionsAndDenseLayersAreNotAlike) {
  const Workload conv = Workload::Parse("nn.conv2d data=1x8x6x6 weight=8x8x1x1");
  const Workload depthwise = Workload::Parse("nn.conv2d data=1x8x6x6 weight=8x1x3x3 groups=8");
  EXPECT_FALSE(Alike(conv, FakeWorkload(1)));
  EXPECT_FALSE(Alike(conv, depthwise));
  EXPECT_TRUE(Alike(conv, conv));
}

}  // namespace
}  // namespace hone
