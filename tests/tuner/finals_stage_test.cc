#include "tuner/finals/finals_stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/error.h"
#include "tests/tuner/fake_run.h"
#include "tuner/record_config_source.h"
#include "tuner/tuning_loop.h"

namespace hone {
namespace {

using testing::FakeWorkload;

bool OfFinals(const KernelJob& job) { return job.timing.min_samples == FinalsStage::kSamples; }

// A run of one task in which the test sets a candidate's times, one in the search and another in the finals.
class FinalsStageTest : public testing::FakeRun {
 protected:
  FinalsStageTest() {
    tasks_.resize(1);
    options_.budget.trials = 60;
  }

  TaskReport Tune() { return FakeRun::Tune().tasks.front(); }
  std::vector<Record> FinalsRecords() const {
    std::vector<Record> records = store_->Find({});
    std::erase_if(records, [](const Record& record) { return record.finals.held == 0; });
    return records;
  }
  int64_t FinalsJobs() const { return std::count_if(runner_.jobs.begin(), runner_.jobs.end(), OfFinals); }
  // The record that a build would take: the first of the lookup.
  Record Built() {
    const Fingerprint machine = FingerprintOf(runner_.Describe());
    const BuildContext& context = options_.context;
    return store_->Best(tasks_[0].workload.ToText(), context.target, machine, context.threads).front().record;
  }
};

TEST_F(FinalsStageTest, AWinnerIsBuiltWithItsPlaceAndReported) {
  const TaskReport report = Tune();
  EXPECT_EQ(report.finals.held, 1);
  EXPECT_TRUE(report.finals.replaced);
  EXPECT_LT(report.finals.p, 0.05);
  EXPECT_GT(report.finals.gain, 0.01);
  EXPECT_LT(report.finals.best.median, report.finals.incumbent.median);
  const Record built = Built();
  EXPECT_EQ(built.finals.place, 1);
  EXPECT_EQ(built.candidate.config.ToText(), report.best_config);
  const std::vector<Record> records = FinalsRecords();
  EXPECT_EQ(static_cast<int>(records.size()), FinalsStage::kRounds * report.finals.finalists);
  std::map<int, int> rounds_of_place;
  for (const Record& record : records) ++rounds_of_place[record.finals.place];
  EXPECT_EQ(rounds_of_place[1], FinalsStage::kRounds);
  EXPECT_EQ(rounds_of_place.rbegin()->first, report.finals.finalists);
}

TEST_F(FinalsStageTest, ALuckyTrialDoesNotWinThem) {
  std::map<std::string, int> tries;
  std::string lucky;
  // The tenth trial seems to be the best by far, and is not.
  runner_.time = [&](const KernelJob& job, int64_t cost_ns) {
    if (OfFinals(job)) return cost_ns;
    if (tries.size() == 9 && !tries.contains(job.artifact.elf)) lucky = job.artifact.elf;
    ++tries[job.artifact.elf];
    return job.artifact.elf == lucky ? int64_t{5'000} : cost_ns;
  };
  const TaskReport report = Tune();
  ASSERT_FALSE(lucky.empty());
  EXPECT_GT(report.best_ns, 5'000);
  const Record built = Built();
  EXPECT_NE(lucky.find(" " + std::to_string(built.measurement.MinNs()) + " "), 0U);
  EXPECT_GT(built.measurement.MinNs(), 5'000);
}

TEST_F(FinalsStageTest, WithoutASignificantDifferenceTheIncumbentStays) {
  // In the search every later candidate seems a little better; in the finals all are alike within half a percent.
  int64_t trial = 0;
  runner_.time = [&](const KernelJob& job, int64_t cost_ns) {
    return OfFinals(job) ? 100'000 + cost_ns % 500 : 100'000 - 10 * ++trial;
  };
  const TaskReport report = Tune();
  EXPECT_EQ(report.finals.held, 1);
  EXPECT_FALSE(report.finals.replaced);
  EXPECT_GT(report.finals.finalists, 2);
  EXPECT_EQ(report.best_ns, report.default_ns);
  EXPECT_TRUE(Built().finals.incumbent);
}

TEST_F(FinalsStageTest, AreHeldOnceUntilTheSearchGoesOn) {
  const TaskReport first = Tune();
  const int64_t jobs = FinalsJobs();
  const TaskReport again = Tune();
  EXPECT_EQ(FinalsJobs(), jobs);
  EXPECT_EQ(again.finals.held, 1);
  EXPECT_EQ(again.best_ns, first.best_ns);
  EXPECT_EQ(again.default_ns, first.default_ns);
  EXPECT_EQ(again.finals.p, first.finals.p);
  options_.budget.trials = 80;
  const TaskReport more = Tune();
  EXPECT_EQ(more.finals.held, 2);
  EXPECT_GT(FinalsJobs(), jobs);
}

TEST_F(FinalsStageTest, TheLastWinnerIsTheNextIncumbent) {
  Tune();
  const Record built = Built();
  options_.seed = 3;  // another run
  Tune();
  for (const Record& record : FinalsRecords()) {
    if (record.session == built.session) continue;
    EXPECT_EQ(record.finals.incumbent, record.candidate == built.candidate);
  }
}

TEST_F(FinalsStageTest, InterruptedTheyLeaveNothingAndAreHeldTheNextTime) {
  runner_.after_job = [&] { stop_ = FinalsJobs() > 9; };
  EXPECT_EQ(Tune().finals.held, 0);
  EXPECT_TRUE(FinalsRecords().empty());
  stop_ = false;
  runner_.after_job = [] {};
  const TaskReport report = Tune();
  EXPECT_EQ(report.trials, 60);
  EXPECT_EQ(report.finals.held, 1);
}

TEST_F(FinalsStageTest, ARunnerThatIsLostCostsTheFinalsNotTheRun) {
  runner_.fate = [&](const std::string&) { return FinalsJobs() > 5 ? Fate::kRunnerLost : Fate::kOk; };
  const TaskReport report = Tune();
  EXPECT_EQ(report.trials, 60);
  EXPECT_EQ(report.finals.held, 0);
  EXPECT_TRUE(FinalsRecords().empty());
}

TEST_F(FinalsStageTest, AMachineThatIsLostOnceIsReplaced) {
  runner_.fate = [&](const std::string&) { return FinalsJobs() == 5 ? Fate::kRunnerLost : Fate::kOk; };
  EXPECT_EQ(Tune().finals.held, 1);
  std::map<uint64_t, int> jobs_of_group;
  for (const KernelJob& job : runner_.jobs) jobs_of_group[job.group] += OfFinals(job);
  EXPECT_LT(jobs_of_group.at(1), 10) << "the rest of the first try";
  EXPECT_EQ(jobs_of_group.at(2), static_cast<int>(FinalsRecords().size())) << "no time of another machine is kept";
}

TEST_F(FinalsStageTest, AreTimedOnOneMachineEachAndOnSeveralAtOnce) {
  tasks_.push_back({FakeWorkload(2), 3, {}});
  tasks_.push_back({FakeWorkload(4), 3, {}});
  options_.budget.trials = 240;
  runner_.machines = 3;
  const TuneReport report = TuningLoop(tasks_, options_, runner_, *store_, tools_, nullptr, &stop_).Run();
  for (const TaskReport& task : report.tasks) EXPECT_EQ(task.finals.held, 1);
  std::vector<uint64_t> groups;  // of the finals' jobs, in order of submission
  for (const KernelJob& job : runner_.jobs) {
    EXPECT_EQ(job.group > 0, OfFinals(job)) << "the search may use any machine";
    if (OfFinals(job)) groups.push_back(job.group);
  }
  EXPECT_EQ(std::set<uint64_t>(groups.begin(), groups.end()), (std::set<uint64_t>{1, 2, 3}));
  // The comparisons run side by side rather than one after another.
  const auto third = std::find(groups.begin(), groups.end(), 3U);
  EXPECT_LT(third - groups.begin(), 20);
  EXPECT_NE(std::find(third, groups.end(), 1U), groups.end());
}

TEST_F(FinalsStageTest, WhatItsMachineDoubtsIsKeptAsNoisy) {
  runner_.check_health = [&] {
    std::vector<SuspectResult> suspects;
    // Jobs are numbered from 1 in order of submission.
    if (FinalsJobs() > 0) suspects = {{runner_.jobs.size(), "slow"}, {runner_.jobs.size() - 1, "slow"}};
    return suspects;
  };
  Tune();
  const std::vector<Record> records = FinalsRecords();
  ASSERT_FALSE(records.empty());
  const auto doubted = [](const Record& record) { return record.measurement.environment.health == "slow"; };
  EXPECT_EQ(std::count_if(records.begin(), records.end(), doubted), 2);
  for (const Record& record : records) EXPECT_EQ(record.measurement.noisy, doubted(record));
}

TEST_F(FinalsStageTest, AFinalistThatTurnsOutWrongIsLast) {
  std::string wrong;
  runner_.fate = [&](const std::string& artifact) {
    if (FinalsJobs() == 0) return Fate::kOk;
    if (wrong.empty() && artifact != runner_.jobs.front().artifact.elf) wrong = artifact;
    return artifact == wrong ? Fate::kWrongOutput : Fate::kOk;
  };
  const TaskReport report = Tune();
  EXPECT_EQ(report.finals.held, 1);
  ASSERT_FALSE(wrong.empty());
  for (const Record& record : FinalsRecords()) {
    if (record.measurement.fate == Fate::kOk) continue;
    EXPECT_EQ(record.finals.place, report.finals.finalists + 1);
  }
}

TEST_F(FinalsStageTest, TakeTurnsInEveryRoundAndAllTheirSamples) {
  const TaskReport report = Tune();
  std::vector<std::string> order;
  for (const KernelJob& job : runner_.jobs) {
    if (!OfFinals(job)) continue;
    order.push_back(job.artifact.elf);
    EXPECT_EQ(job.timing.incumbent_ns, 0);
  }
  const auto n = static_cast<size_t>(report.finals.finalists);
  ASSERT_EQ(order.size(), n * FinalsStage::kRounds);
  bool shuffled = false;
  for (size_t round = 0; round < FinalsStage::kRounds; ++round) {
    std::vector<std::string> turn(order.begin() + static_cast<std::ptrdiff_t>(round * n),
                                  order.begin() + static_cast<std::ptrdiff_t>((round + 1) * n));
    shuffled = shuffled || !std::equal(turn.begin(), turn.end(), order.begin());
    std::sort(turn.begin(), turn.end());
    EXPECT_EQ(std::unique(turn.begin(), turn.end()), turn.end());
  }
  EXPECT_TRUE(shuffled);
}

TEST_F(FinalsStageTest, KeepWithinTheTimeGiven) {
  options_.budget = {};
  options_.budget.time_ns = 200'000'000;
  const int64_t begin_ns = clock_ns_;
  EXPECT_EQ(Tune().finals.held, 1);
  EXPECT_LE(clock_ns_ - begin_ns, 203'000'000);
}

}  // namespace
}  // namespace hone
