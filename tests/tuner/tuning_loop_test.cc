#include "tuner/tuning_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/json/serialize.h"
#include "tests/tuner/fake_run.h"
#include "tuner/tuner.h"

namespace hone {
namespace {

using testing::FakeSchedule;
using testing::FakeTools;

class TuningLoopTest : public testing::FakeRun {};

TEST_F(TuningLoopTest, MeasuresExactlyTheTrialsOfItsBudgetAndRecordsThem) {
  options_.budget.trials = 50;
  const TuneReport report = Tune();
  EXPECT_EQ(report.trials, 50);
  EXPECT_EQ(Recorded().size(), 50U);
  ExpectNoneTwice();
  ASSERT_EQ(report.tasks.size(), 2U);
  for (const TaskReport& task : report.tasks) EXPECT_EQ(task.stopped, "budget");
}

TEST_F(TuningLoopTest, ManyMachinesGetManyTrialsOfSeveralTasks) {
  options_.budget.trials = 130;
  runner_.machines = 8;
  std::vector<std::string> compiled;  // the tasks of candidates, until the batch after the defaults is measured
  const auto compile = tools_.compile;
  tools_.compile = [&](const Candidate& candidate) {
    if (runner_.jobs.size() <= 2) compiled.push_back(candidate.workload.ToText());
    return compile(candidate);
  };
  EXPECT_EQ(Tune().trials, 130);
  ExpectNoneTwice();
  ASSERT_EQ(compiled.size(), 2U + 64U) << "eight a machine";
  EXPECT_EQ(std::set<std::string>(compiled.begin() + 2, compiled.end()).size(), 2U);
  for (const TuneEvent& event : events_) EXPECT_EQ(event.runners, 8);
}

TEST_F(TuningLoopTest, OneMachineGetsABatchOfOneTask) {
  options_.budget.trials = 18;
  std::vector<std::string> compiled;
  const auto compile = tools_.compile;
  tools_.compile = [&](const Candidate& candidate) {
    compiled.push_back(candidate.workload.ToText());
    return compile(candidate);
  };
  EXPECT_EQ(Tune().trials, 18);
  ASSERT_GE(compiled.size(), 18U);
  EXPECT_EQ(std::set<std::string>(compiled.begin() + 2, compiled.begin() + 18).size(), 1U);
}

TEST_F(TuningLoopTest, EveryTaskGetsItsDefaultFirst) {
  options_.budget.trials = 2;
  const TuneReport report = Tune();
  for (const TaskReport& task : report.tasks) {
    EXPECT_EQ(task.trials, 1);
    EXPECT_GT(task.default_ns, 0);
    EXPECT_EQ(task.default_ns, task.best_ns);
  }
}

TEST_F(TuningLoopTest, ImprovesOnTheDefault) {
  options_.budget.trials = 200;
  for (const TaskReport& task : Tune().tasks) EXPECT_LT(task.best_ns, task.default_ns);
}

TEST_F(TuningLoopTest, TheTimeBudgetStopsIt) {
  options_.budget.time_ns = 30'000'000;  // the runner takes a millisecond for each job
  const TuneReport report = Tune();
  EXPECT_GE(report.trials, 22);  // a fifth is for the finals
  EXPECT_LE(report.trials, 28);
  EXPECT_LE(report.elapsed_ns, 33'000'000);
  EXPECT_EQ(report.tasks[0].stopped, "budget");
}

TEST_F(TuningLoopTest, APlateauStopsEachTask) {
  const TuneReport report = Tune();  // without a budget
  EXPECT_FALSE(report.interrupted);
  for (const TaskReport& task : report.tasks) {
    EXPECT_EQ(task.stopped, "plateau");
    EXPECT_LT(task.trials, 2000);
  }
}

TEST_F(TuningLoopTest, EarlyStoppingSetsThePatience) {
  options_.budget.early_stopping = 20;
  const int64_t impatient = Tune().trials;
  store_ = RecordStore::Open(folder_ / "patient.db");
  options_.budget.early_stopping = 300;
  EXPECT_GT(Tune().trials, impatient + 500);
}

TEST_F(TuningLoopTest, WithoutEarlyStoppingTheBudgetIsSpent) {
  options_.budget.early_stopping = 0;
  options_.budget.trials = 3000;  // far beyond any plateau
  for (const TaskReport& task : Tune().tasks) EXPECT_EQ(task.stopped, "budget");
}

TEST_F(TuningLoopTest, TooLittleExpectedGainStopsAllTasks) {
  const auto trials_until = [this](double gain) {
    options_.budget.until_gain = gain;
    options_.seed = static_cast<uint64_t>(1000 * gain);  // a run of its own
    store_ = RecordStore::Open(folder_ / ("gain" + std::to_string(options_.seed) + ".db"));
    const TuneReport report = Tune();
    EXPECT_TRUE(std::any_of(report.tasks.begin(), report.tasks.end(),
                            [](const TaskReport& task) { return task.stopped == "until-gain"; }));
    return report.trials;
  };
  const int64_t early = trials_until(0.2), later = trials_until(0.05);
  EXPECT_GT(early, 2);
  EXPECT_GT(later, early);
  options_.budget.until_gain = 0.9;  // more gain than even the first trials promise
  options_.seed = 7;
  store_ = RecordStore::Open(folder_ / "at_once.db");
  EXPECT_EQ(Tune().trials, 2);  // the default configs
}

TEST_F(TuningLoopTest, ASmallSpaceIsSpent) {
  const FakeSchedule tiny("tiny", 2);
  tools_ = FakeTools({&tiny}, &clock_ns_);
  const TuneReport report = Tune();
  for (const TaskReport& task : report.tasks) {
    EXPECT_EQ(task.stopped, "space spent");
    EXPECT_EQ(task.trials, 12);  // 16 configs, 4 of them rejected
  }
}

TEST_F(TuningLoopTest, TheSameSeedMakesTheSameDecisions) {
  options_.budget.trials = 80;
  Tune();
  const std::vector<KernelJob> first = runner_.jobs;
  runner_.jobs.clear();
  store_ = RecordStore::Open(folder_ / "other.db");
  Tune();
  ASSERT_EQ(runner_.jobs.size(), first.size());
  for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(runner_.jobs[i].artifact.elf, first[i].artifact.elf) << i;
  EXPECT_EQ(runner_.jobs[0].seeds, first[0].seeds);
}

TEST_F(TuningLoopTest, OverlappedCompilingKeepsTheContract) {
  tools_.overlap = true;
  options_.budget.trials = 100;
  EXPECT_EQ(Tune().trials, 100);
  EXPECT_EQ(Recorded().size(), 100U);
  ExpectNoneTwice();
}

TEST_F(TuningLoopTest, ManyCompilersBuildTheSame) {
  options_.budget.trials = 60;
  std::atomic<int> compiled{0};
  const auto compile = tools_.compile;
  tools_.compile = [&](const Candidate& candidate) {
    ++compiled;
    return compile(candidate);
  };
  const TuneReport one = Tune();
  const std::map<std::string, int> recorded = Recorded();
  const int compiled_by_one = compiled.exchange(0);
  store_ = RecordStore::Open(folder_ / "second.db");
  tools_.compile_workers = 5;
  const TuneReport five = Tune();
  EXPECT_GE(compiled, 60);
  EXPECT_EQ(compiled, compiled_by_one);
  EXPECT_EQ(Recorded(), recorded);
  EXPECT_EQ(five.tasks[0].best_ns, one.tasks[0].best_ns);
}

TEST_F(TuningLoopTest, TellsWhereTheTimeWent) {
  options_.budget.trials = 50;
  const auto compile = tools_.compile;
  tools_.compile = [&](const Candidate& candidate) {
    clock_ns_ += 3'000'000;
    return compile(candidate);
  };
  const TuneReport report = Tune();
  EXPECT_EQ(report.costs.compile_ns, 50 * 3'000'000);
  EXPECT_EQ(report.costs.verify_ns, 50 * 200'000);
  EXPECT_EQ(report.costs.timing_ns, 50 * 700'000);
  // The time that a job took beyond its cost.
  EXPECT_EQ(report.costs.other_ns(report.elapsed_ns - report.finals_ns), 50 * 100'000);
}

TEST_F(TuningLoopTest, ANoisyTrialThatMayBeTheBestIsMeasuredAgain) {
  options_.budget.trials = 30;
  std::map<std::string, int> tries;
  runner_.noisy = [&](const std::string& artifact) { return ++tries[artifact] == 1; };
  const TuneReport report = Tune();
  EXPECT_EQ(report.trials, 30);
  for (const TaskReport& task : report.tasks) {
    EXPECT_GT(task.best_ns, 0);
    EXPECT_GT(task.default_ns, 0);
  }
  EXPECT_EQ(report.tasks[0].trials + report.tasks[1].trials, 30);
}

TEST_F(TuningLoopTest, ADefaultThatStaysNoisyPromisesNoGain) {
  options_.budget.trials = 30;
  std::set<std::string> defaults;  // those of the two tasks come first
  runner_.noisy = [&](const std::string& artifact) {
    if (defaults.size() < 2) defaults.insert(artifact);
    return defaults.contains(artifact);
  };
  Tune();
  EXPECT_GT(events_.back().tasks_timed, 0);
  for (const TuneEvent& event : events_) {
    if (event.kind == TuneEventKind::kTrial) {
      EXPECT_EQ(event.model_default_ns, 0);
    }
  }
}

TEST_F(TuningLoopTest, WhatStaysNoisyIsGivenUp) {
  options_.budget.trials = 3;
  runner_.noisy = [](const std::string&) { return true; };
  const TuneReport report = Tune();
  EXPECT_EQ(report.trials, 3);
  EXPECT_EQ(report.tasks[0].best_ns, 0);
  const auto of_search = std::count_if(runner_.jobs.begin(), runner_.jobs.end(), [](const KernelJob& job) {
    return job.timing.incumbent_ns == 0 && job.timing.min_samples == 3;
  });
  EXPECT_EQ(of_search, 3 * (1 + BatchMeasurer::kRepeats));
}

TEST_F(TuningLoopTest, ExactMathNeverTriesWhatTradesAccuracyAway) {
  FakeSchedule loose("loose", 8);
  loose.set_tolerance(2e-5);
  tools_ = FakeTools({&schedule_, &loose}, &clock_ns_);
  options_.budget.trials = 60;
  Tune();
  const auto tried_loose = [this] {
    return std::any_of(runner_.jobs.begin(), runner_.jobs.end(), [](const KernelJob& job) {
      EXPECT_EQ(job.tolerance, job.artifact.elf.starts_with("loose") ? 2e-5 : kExactTolerance);
      return job.artifact.elf.starts_with("loose");
    });
  };
  EXPECT_TRUE(tried_loose());
  runner_.jobs.clear();
  options_.context.exact_math = true;
  Tune();
  EXPECT_FALSE(tried_loose());
}

TEST_F(TuningLoopTest, TheIncumbentTravelsWithTheJob) {
  options_.budget.trials = 40;
  Tune();
  EXPECT_EQ(runner_.jobs.front().timing.incumbent_ns, 0);
  EXPECT_GT(runner_.jobs.at(39).timing.incumbent_ns, 0);
  EXPECT_EQ(runner_.jobs.back().timing.incumbent_ns, 0);  // a job of the finals: all get all samples
}

TEST_F(TuningLoopTest, RecordsSayWhatWasDone) {
  options_.budget.trials = 1;
  Tune();
  const Record record = store_->Find({}).front();
  EXPECT_EQ(record.candidate.target, options_.context.target);
  EXPECT_EQ(record.session, MakeTuningRun(options_).id);
  EXPECT_EQ(record.input_layout, "MK");
  EXPECT_EQ(record.output_layout, "MN");
  EXPECT_EQ(record.measurement.environment.cpu_model, "Fake CPU");
  EXPECT_EQ(record.timing.threads, options_.context.threads);
  EXPECT_FALSE(record.artifact_sha256.empty());
}

TEST_F(TuningLoopTest, TellsEveryTrialEveryTaskAndTheEnd) {
  options_.budget.trials = 10;
  Tune();
  std::map<TuneEventKind, int> count;
  for (const TuneEvent& event : events_) ++count[event.kind];
  EXPECT_EQ(count[TuneEventKind::kTrial], 10);
  EXPECT_EQ(count[TuneEventKind::kTask], 2);
  EXPECT_GE(count[TuneEventKind::kFinals], 1);
  EXPECT_EQ(count[TuneEventKind::kDone], 1);
  EXPECT_EQ(events_.back().kind, TuneEventKind::kDone);
}

TEST(TuningRun, IsNamedByWhatWasAskedNotByTheBudget) {
  TuneOptions options;
  options.model = "m";
  const std::string id = MakeTuningRun(options).id;
  options.budget.trials = 5;
  EXPECT_EQ(MakeTuningRun(options).id, id);
  options.seed = 1;
  EXPECT_NE(MakeTuningRun(options).id, id);
  options.seed = 0;
  options.context.exact_math = true;
  EXPECT_NE(MakeTuningRun(options).id, id);
}

TEST_F(TuningLoopTest, HoldsWhatABuildWouldHaveTakenAgainstTheRest) {
  options_.budget.trials = 60;
  const Config config({{"a", 8}, {"b", 2}, {"c", 8}, {"d", 8}});  // slow here: it is another machine's
  tools_.before = [&](const Workload& workload) {
    const bool known = workload == tasks_[0].workload;
    return known ? std::optional(ConfigChoice{"schedule", config, "near, hub", "", 1}) : std::nullopt;
  };
  const TuneReport report = Tune();
  const TaskReport &known = report.tasks[0], &unknown = report.tasks[1];
  EXPECT_EQ(known.default_source, "near, hub");
  EXPECT_EQ(known.default_config, config.ToText());
  EXPECT_EQ(known.default_ns, schedule_.CostNs(config)) << "its time here, not the other machine's";
  EXPECT_LT(known.analytic_ns, known.default_ns);
  EXPECT_LT(known.best_ns, known.default_ns);
  EXPECT_EQ(unknown.default_source, "default");
  EXPECT_EQ(unknown.default_ns, unknown.analytic_ns);
  EXPECT_EQ(Json::parse(store_->Runs()[0].json)["tasks"][0]["default"]["config"], config.ToText());
  ExpectNoneTwice();
}

TEST_F(TuningLoopTest, ReportsWhatTheRecordsSayOfItsTasks) {
  options_.budget.trials = 40;
  const TuneReport first = Tune();
  // Finals of another run beat this run's winner; the same command again names theirs.
  std::vector<Record> finals;
  for (const Record& record : store_->Find({})) {
    if (record.finals.held > 0 || record.candidate.workload != tasks_[0].workload) continue;
    const bool won_here = record.candidate.config.ToText() == first.tasks[0].best_config;
    if (won_here || (!finals.empty() && finals.front().finals.place == 2)) finals.push_back(record);
    if (finals.empty()) continue;
    finals.back().session = "another";
    finals.back().finals = {1, 1, won_here ? 2 : 1, won_here, 0};
    finals.back() = Finish(finals.back());
    if (finals.size() == 2) break;
  }
  ASSERT_EQ(finals.size(), 2U);
  store_->Append(finals);
  const TuneReport again = Tune();
  EXPECT_EQ(again.trials, 0);
  EXPECT_EQ(again.tasks[0].best_config, finals[1].candidate.config.ToText());
  EXPECT_EQ(again.tasks[0].best_ns, finals[1].measurement.MinNs());
}

TEST_F(TuningLoopTest, SharesOfTheTimeAddUpWithSeveralMachines) {
  for (const int machines : {1, 2, 8}) {
    runner_.machines = machines;
    options_.seed = static_cast<uint64_t>(machines);
    options_.budget.trials = 64;
    const TuneReport report = Tune();
    const int64_t search_ns = report.elapsed_ns - report.finals_ns;
    EXPECT_GT(report.costs.timing_ns, 0);
    EXPECT_GE(report.costs.other_ns(search_ns), 0) << machines << " machines";
  }
}

}  // namespace
}  // namespace hone
