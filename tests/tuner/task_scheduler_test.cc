#include "tuner/task_scheduler.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TaskProgress Task(int uses, int64_t best_ns, double gain) {
  TaskProgress task;
  task.uses = uses;
  task.best_ns = best_ns;
  task.gain_per_trial = gain;
  return task;
}

TEST(NextTask, TheMostModelTimeWins) {
  EXPECT_EQ(NextTask({Task(1, 100, 0.01), Task(4, 50, 0.01), Task(1, 150, 0.01)}), 1);
}

TEST(NextTask, ASpentTaskYieldsToOneThatStillGains) {
  EXPECT_EQ(NextTask({Task(1, 1000, 0.0001), Task(1, 100, 0.02)}), 1);
}

TEST(NextTask, TasksThatGainNothingShareTheTrialsByTheirTime) {
  std::vector<TaskProgress> tasks{Task(3, 100, 0), Task(1, 100, 0)};
  for (int i = 0; i < 400; ++i) ++tasks[static_cast<size_t>(NextTask(tasks))].trials;
  EXPECT_NEAR(static_cast<double>(tasks[0].trials), 300, 2);
}

TEST(NextTask, TheEstimateStandsInUntilSomethingWorks) {
  TaskProgress fresh = Task(1, 0, 0.02);
  fresh.estimate_ns = 1000;
  EXPECT_EQ(NextTask({Task(1, 100, 0.02), fresh}), 1);
}

TEST(NextTask, StoppedTasksAreLeftOut) {
  TaskProgress stopped = Task(9, 1000, 0.5);
  stopped.stopped = true;
  EXPECT_EQ(NextTask({stopped, Task(1, 1, 0)}), 1);
  EXPECT_EQ(NextTask({stopped}), -1);
  EXPECT_EQ(NextTask({}), -1);
}

TEST(ExpectedGain, IsTheShareOfTheModelsTime) {
  EXPECT_NEAR(ExpectedGain({Task(1, 100, 0.01)}, 1), 0.01, 1e-12);
  EXPECT_NEAR(ExpectedGain({Task(3, 100, 0.1), Task(1, 100, 0)}, 1), 0.075, 1e-12);
  EXPECT_NEAR(ExpectedGain({Task(1, 100, 0.1)}, 2), 0.19, 1e-12);
}

TEST(ExpectedGain, OfStoppedTasksIsZero) {
  TaskProgress stopped = Task(1, 100, 0.5);
  stopped.stopped = true;
  EXPECT_EQ(ExpectedGain({stopped}, 16), 0);
  EXPECT_NEAR(ExpectedGain({stopped, Task(1, 300, 0.1)}, 1), 0.075, 1e-12);
  EXPECT_EQ(ExpectedGain({}, 16), 0);
}

TEST(GainRate, DecaysWithoutGainsAndRisesWithThem) {
  GainRate rate;
  const double begin = rate.per_trial();
  rate.Observe(0, 100);
  EXPECT_EQ(rate.per_trial(), begin);
  for (int i = 0; i < 50; ++i) rate.Observe(100, 100);
  EXPECT_LT(rate.per_trial(), begin / 10);
  const double low = rate.per_trial();
  rate.Observe(100, 50);
  EXPECT_GT(rate.per_trial(), low);
}

}  // namespace
}  // namespace hone
