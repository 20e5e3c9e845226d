#include "bench/tuner/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "tuner/search/search_space.h"

namespace hone {

// Prints the parameter's name in the list of tests.
void PrintTo(const StrategyEntry& strategy, std::ostream* out) { *out << strategy.name; }

}  // namespace hone

namespace hone::bench {
namespace {

const std::vector<RecordedSpace>& Spaces() {
  static const auto spaces = ReadRecordedSpaces(std::string(HONE_TEST_DATA) + "/spaces");
  return spaces;
}

// Tasks of a machine without a row of its own, whose estimate misleads; or else of the recording's machine.
std::vector<std::unique_ptr<RecordedTask>> Tasks(bool misled, int64_t least_configs = 0) {
  std::vector<std::unique_ptr<RecordedTask>> tasks;
  for (const RecordedSpace& space : Spaces()) {
    if (space.valid() < least_configs) continue;
    Target target = space.target;
    if (misled) target.cpu.clear();
    tasks.push_back(std::make_unique<RecordedTask>(space, MachineModelFor(target)));
  }
  return tasks;
}

double Trials(const std::string& strategy, const RecordedTask& task, uint64_t seed, int free_trials = 0) {
  return Replay(*MakeStrategy(strategy, task.task, seed), task, free_trials).trials_to_near;
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<int64_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

double MedianTrials(const std::string& strategy, bool misled, int free_trials = 0) {
  std::vector<double> trials;
  for (const auto& task : Tasks(misled, 5000)) {
    for (uint64_t seed = 0; seed < 3; ++seed) trials.push_back(Trials(strategy, *task, seed, free_trials));
  }
  return Median(trials);
}

class ReplayTest : public ::testing::TestWithParam<StrategyEntry> {};

TEST_P(ReplayTest, FindsANearConfigOfEverySpace) {
  for (const auto& task : Tasks(false)) {
    const double all = static_cast<double>(task->task.space->ranked().size());
    EXPECT_LT(Trials(std::string(GetParam().name), *task, 1), all / 2) << task->task.workload.ToText();
  }
}

TEST_P(ReplayTest, IsTheSameForTheSameSeed) {
  const auto tasks = Tasks(true);
  const std::string name(GetParam().name);
  EXPECT_EQ(Trials(name, *tasks[0], 3), Trials(name, *tasks[0], 3));
}

INSTANTIATE_TEST_SUITE_P(All, ReplayTest, ::testing::ValuesIn(AllStrategies()),
                         [](const auto& strategy) { return std::string(strategy.param.name); });

TEST(Replay, TheModelNeedsAFifthOfEvenDrawsTrials) {
  EXPECT_LE(5 * MedianTrials("model", false), MedianTrials("random", false, 1));
}

TEST(Replay, TheModelNeedsAFifthOfEvenDrawsTrialsWhereTheEstimateMisleads) {
  EXPECT_LE(5 * MedianTrials("model", true), MedianTrials("random", true, 1));
}

// If following the misleading estimate takes long, learning takes at most half of it. Learning needs founders that the
// estimate would not propose.
TEST(Replay, TheModelLeavesAMisleadingEstimate) {
  int followed_for_long = 0;
  for (const auto& task : Tasks(true, 5000)) {
    const double followed = Trials("grid", *task, 0);
    if (followed < 50) continue;
    ++followed_for_long;
    std::vector<double> learnt;
    for (uint64_t seed = 0; seed < 5; ++seed) learnt.push_back(Trials("model", *task, seed));
    EXPECT_LE(2 * Median(learnt), followed) << task->task.workload.ToText();
  }
  EXPECT_GE(followed_for_long, 2);
}

TEST(Replay, TheLossIsThatOfTheFirstTrials) {
  const auto tasks = Tasks(true);
  for (const auto& task : tasks) {
    const Replayed replayed = Replay(*MakeStrategy("random", task->task, 0), *task);
    EXPECT_EQ(replayed.loss <= kNear - 1, replayed.trials_to_near <= kShortRun) << task->task.workload.ToText();
  }
}

}  // namespace
}  // namespace hone::bench
