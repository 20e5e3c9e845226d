// Failures of candidates are recorded and never best; failures of the machine say nothing about them.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/error.h"
#include "tests/tuner/fake_run.h"

namespace hone {
namespace {

class TuningFailuresTest : public testing::FakeRun {};

TEST_F(TuningFailuresTest, FailuresAreRecordedAndNeverBest) {
  options_.budget.trials = 60;
  runner_.fate = [](const std::string& artifact) {
    return artifact.find("b=5") != std::string::npos ? Fate::kWrongOutput : Fate::kOk;
  };
  const TuneReport report = Tune();
  int64_t failed = 0;
  for (const TaskReport& task : report.tasks) {
    failed += task.failed;
    EXPECT_EQ(task.best_config.find("b=5"), std::string::npos);
  }
  RecordQuery query;
  query.fate = Fate::kWrongOutput;
  EXPECT_EQ(static_cast<int64_t>(store_->Find(query).size()), failed);
  EXPECT_GT(failed, 0);
}

TEST_F(TuningFailuresTest, ATaskOfWhichNothingWorksTellsItsMostFrequentFate) {
  tasks_.resize(1);
  options_.budget.trials = 60;
  int calls = 0;
  tools_.compile = [&](const Candidate&) -> Rejection {
    if (++calls % 3 == 0) return {Fate::kCompileFailed, "now and then"};
    return {Fate::kUnsupported, calls % 5 == 0 ? "rarely" : "mostly"};
  };
  for (const TaskReport& task : Tune().tasks) {
    EXPECT_FALSE(task.measured());
    EXPECT_EQ(task.failure.fate, Fate::kUnsupported);
    EXPECT_EQ(task.failure.message, "mostly");
    EXPECT_LT(task.failure.trials, task.trials);
    EXPECT_GT(task.failure.trials, task.trials / 2);
  }
}

TEST_F(TuningFailuresTest, ATaskOfWhichSomethingWorksHasNoFailure) {
  tasks_.resize(1);
  options_.budget.trials = 60;
  runner_.fate = [](const std::string& artifact) {
    return artifact.find("b=5") != std::string::npos ? Fate::kOk : Fate::kWrongOutput;
  };
  for (const TaskReport& task : Tune().tasks) {
    EXPECT_TRUE(task.measured());
    EXPECT_EQ(task.failure, FailureReport());
  }
}

TEST_F(TuningFailuresTest, ARefusedCandidateIsATrialWithoutAJob) {
  options_.budget.trials = 20;
  tools_.compile = [](const Candidate&) { return Rejection{Fate::kInvalidConfig, "no"}; };
  const TuneReport report = Tune();
  EXPECT_EQ(report.trials, 20);
  EXPECT_TRUE(runner_.jobs.empty());
  EXPECT_EQ(store_->Find({}).front().measurement.message, "no");
}

TEST_F(TuningFailuresTest, ACompilerThatThrowsIsACompileFailure) {
  options_.budget.trials = 3;
  tools_.compile = [](const Candidate&) -> std::variant<Artifact, Rejection> { throw std::runtime_error("boom"); };
  Tune();
  EXPECT_EQ(store_->Find({}).front().measurement.fate, Fate::kCompileFailed);
  EXPECT_EQ(store_->Find({}).front().measurement.message, "boom");
}

TEST_F(TuningFailuresTest, AReferenceThatCannotBeCompiledStopsItsTaskAndBlamesNoCandidate) {
  options_.budget.trials = 4000;
  tools_.reference = [](const Workload& workload, const Target&) -> Artifact {
    if (workload.data[0] == 2) throw Error(ExitCode::kBadData, "no reference");
    return {};
  };
  const TuneReport report = Tune();
  EXPECT_GT(report.tasks[0].trials, 0);
  EXPECT_EQ(report.tasks[0].failed, 0);
  EXPECT_EQ(report.tasks[1].trials, 0);
  EXPECT_EQ(report.tasks[1].stopped, "no reference");
  EXPECT_EQ(report.trouble, "no reference");
  for (const Record& record : store_->Find({})) EXPECT_EQ(record.measurement.fate, Fate::kOk);
}

TEST_F(TuningFailuresTest, TheMachinesTroubleEndsTheRunWithItsCodeAndLeavesNoRecord) {
  tools_.compile = [](const Candidate&) -> std::variant<Artifact, Rejection> {
    throw Error(ExitCode::kIo, "memfd_create: Too many open files");
  };
  try {
    Tune();
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kIo);
    EXPECT_NE(std::string(error.what()).find("Too many open files"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(store_->Find({}).empty());
}

TEST_F(TuningFailuresTest, TroubleOfTheRunnersMachineEndsTheRunToo) {
  runner_.fate = [](const std::string&) { return Fate::kCancelled; };
  runner_.detail = static_cast<int32_t>(ExitCode::kNoRunner);
  try {
    Tune();
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kNoRunner);
  }
  EXPECT_TRUE(store_->Find({}).empty());
}

TEST_F(TuningFailuresTest, ARunInWhichNothingCouldBeJudgedSaysWhyHoweverShortItIs) {
  options_.budget.trials = 3;
  tools_.compile = [](const Candidate&) { return Rejection{Fate::kCancelled, "no room", ExitCode::kCannotCreate}; };
  try {
    Tune();
    FAIL() << "it ended well";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kCannotCreate);
    EXPECT_STREQ(error.what(), "3 trials in a row could not be judged: no room");
  }
}

TEST_F(TuningFailuresTest, TroubleThatPassesLeavesNoTrace) {
  options_.budget.trials = 60;
  int asked = 0;
  const auto compile = tools_.compile;
  tools_.compile = [&](const Candidate& candidate) -> std::variant<Artifact, Rejection> {
    if (++asked % 3 == 0) return Rejection{Fate::kCancelled, "no process", ExitCode::kNoRunner};
    return compile(candidate);
  };
  const TuneReport report = Tune();
  EXPECT_GT(report.not_judged, 10);
  EXPECT_GE(store_->Find({}).size(), static_cast<size_t>(report.trials));  // finals have records too
  for (const Record& record : store_->Find({})) EXPECT_EQ(record.measurement.fate, Fate::kOk);
  for (const TaskReport& task : report.tasks) EXPECT_EQ(task.failed, 0);
}

TEST_F(TuningFailuresTest, ARunWithoutAMachineSaysSoAtOnceAndEndsAfterItsPatience) {
  options_.runner_patience_ns = 5'000'000'000;
  runner_.after_job = [this] {
    if (runner_.jobs.size() >= 20 && !runner_.absence) runner_.absence = clock_ns_;
  };
  const TuneReport report = Tune();
  EXPECT_EQ(report.no_runner, "no runner left for 5 s");
  EXPECT_FALSE(report.interrupted);
  EXPECT_EQ(report.tasks[0].stopped, "no runner");
  EXPECT_GT(report.trials, 0);
  EXPECT_EQ(store_->Find({}).size(), static_cast<size_t>(report.trials)) << "what was measured is kept";
  EXPECT_EQ(store_->Runs().front().state, "runners lost");
  const auto waits = [](const TuneEvent& event) { return event.kind == TuneEventKind::kWaiting; };
  EXPECT_GE(std::count_if(events_.begin(), events_.end(), waits), 5) << "once a second";
}

TEST_F(TuningFailuresTest, AMachineThatComesBackGoesOn) {
  options_.budget.trials = 60;
  bool was_away = false;
  runner_.after_job = [&] {
    if (runner_.jobs.size() >= 20 && !std::exchange(was_away, true)) runner_.absence = clock_ns_;
  };
  runner_.waited = [this] {
    if (clock_ns_ - *runner_.absence > 3'000'000'000) runner_.absence.reset();
  };
  const TuneReport report = Tune();
  EXPECT_EQ(report.no_runner, "");
  EXPECT_EQ(report.trials, 60);
  const auto comes = [](const TuneEvent& event) { return event.kind == TuneEventKind::kWaiting && event.why.empty(); };
  EXPECT_EQ(std::count_if(events_.begin(), events_.end(), comes), 1);
}

}  // namespace
}  // namespace hone
