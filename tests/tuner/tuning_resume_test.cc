// A run goes on from the runs before it, and survives lost runners.
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/json/serialize.h"
#include "tests/tuner/fake_run.h"

namespace hone {
namespace {

class TuningResumeTest : public testing::FakeRun {};

TEST_F(TuningResumeTest, GoesOnAfterAnInterruptionWithoutLosingOrRepeating) {
  options_.budget.trials = 120;
  int jobs = 0;
  runner_.after_job = [&] { stop_ = stop_ || ++jobs % 17 == 0; };
  int64_t trials = 0;
  for (int run = 0; run < 40; ++run) {
    stop_ = false;
    const TuneReport report = Tune();
    EXPECT_EQ(report.resumed, trials);
    trials += report.trials;
    if (!report.interrupted) break;
    EXPECT_EQ(store_->Runs().front().state, "interrupted");
  }
  EXPECT_EQ(trials, 120);
  EXPECT_EQ(Recorded().size(), 120U);
  ExpectNoneTwice();
  EXPECT_EQ(store_->Runs().size(), 1U);
}

TEST_F(TuningResumeTest, TheStoreIsToldHowOftenTheModelUsesEachTask) {
  options_.budget.trials = 4;
  tasks_[0].nodes = {"/layer1/conv1", "/layer2/conv1"};
  Tune();
  const TuningRun run = store_->Runs().at(0);
  Json asked = ParseJson(run.json, "the run");
  ASSERT_EQ(asked["tasks"].size(), tasks_.size());
  for (size_t i = 0; i < tasks_.size(); ++i) {
    EXPECT_EQ(asked["tasks"][i]["workload"], tasks_[i].workload.ToText());
    EXPECT_EQ(asked["tasks"][i]["uses"], tasks_[i].uses);
  }
  EXPECT_EQ(asked["tasks"][0]["node"], "/layer1/conv1");
  EXPECT_EQ(asked["budget"]["trials"], 4);
  EXPECT_EQ(asked["budget"]["ms"], 0);
  EXPECT_TRUE(asked["budget"].contains("begun_unix_ms"));
  // The id hashes the request without these, so a run that an older hone began goes on.
  asked.erase("tasks");
  asked.erase("budget");
  EXPECT_EQ(run.id, Sha256Hex(DumpJson(asked)).substr(0, 16));
}

TEST_F(TuningResumeTest, TheStoreIsToldTheBudgetThatWasAskedFor) {
  options_.budget.time_ns = 4'000'000'000;
  Tune();
  EXPECT_EQ(ParseJson(store_->Runs().at(0).json, "the run")["budget"]["ms"], 4'000);
  const Json searched = ParseJson(store_->Runs().at(0).json, "the run")["budget"];
  options_.budget.asked_ns = 60'000'000'000;
  options_.budget.spent_ns = 9'000'000'000;
  Tune();
  const Json asked = ParseJson(store_->Runs().at(0).json, "the run")["budget"];
  EXPECT_EQ(asked["ms"], 60'000);
  EXPECT_LT(asked["begun_unix_ms"].get<int64_t>(), searched["begun_unix_ms"].get<int64_t>() - 1'000);
}

TEST_F(TuningResumeTest, AnInterruptionDrainsWhatIsUnderWay) {
  options_.budget.trials = 100;
  runner_.after_job = [&] { stop_ = true; };
  const TuneReport report = Tune();
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(Recorded().size(), runner_.jobs.size());
  EXPECT_EQ(report.tasks[0].stopped, "interrupted");
}

TEST_F(TuningResumeTest, ARunThatDiesBetweenBatchesLosesNothing) {
  options_.budget.trials = 64;
  int jobs = 0;
  runner_.after_job = [&] {
    if (++jobs == 40) throw std::runtime_error("killed");
  };
  EXPECT_THROW(Tune(), std::runtime_error);
  const size_t kept = Recorded().size();
  EXPECT_GE(kept, 40U - 16);
  runner_.after_job = [] {};
  const TuneReport report = Tune();
  EXPECT_EQ(report.resumed, static_cast<int64_t>(kept));
  EXPECT_EQ(Recorded().size(), 64U);
  ExpectNoneTwice();
}

TEST_F(TuningResumeTest, ALostRunnersTrialIsDoneAgainAndNotCounted) {
  options_.budget.trials = 30;
  std::map<std::string, int> tries;
  runner_.fate = [&](const std::string& artifact) {
    return ++tries[artifact] == 1 && tries.size() % 3 == 0 ? Fate::kRunnerLost : Fate::kOk;
  };
  const TuneReport report = Tune();
  EXPECT_EQ(report.trials, 30);
  EXPECT_EQ(report.tasks[0].failed + report.tasks[1].failed, 0);
  ExpectNoneTwice();
}

TEST_F(TuningResumeTest, ARunnerThatIsLostForGoodEndsTheRun) {
  runner_.fate = [](const std::string&) { return Fate::kRunnerLost; };
  try {
    Tune();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kNoRunner);
  }
}

TEST_F(TuningResumeTest, ARunnerThatTakesNoJobsEndsTheRun) {
  runner_.away = true;
  EXPECT_THROW(Tune(), Error);
}

TEST_F(TuningResumeTest, ResumingTakesTheLastAttemptAtATrial) {
  options_.budget.trials = 20;
  std::map<std::string, int> tries;
  runner_.noisy = [&](const std::string& artifact) { return ++tries[artifact] == 1; };
  const TuneReport first = Tune();
  const TuneReport again = Tune();
  EXPECT_EQ(again.resumed, 20);
  EXPECT_EQ(again.trials, 0);
  for (size_t i = 0; i < first.tasks.size(); ++i) EXPECT_EQ(again.tasks[i].best_ns, first.tasks[i].best_ns);
}

TEST_F(TuningResumeTest, AnotherRunsRecordsAreKnownButNotCounted) {
  options_.budget.trials = 40;
  Tune();
  options_.seed = 1;
  const TuneReport report = Tune();
  EXPECT_EQ(report.resumed, 0);
  EXPECT_EQ(report.trials, 40);
  EXPECT_EQ(Recorded().size(), 80U);
  ExpectNoneTwice();
}

TEST_F(TuningResumeTest, AnotherMachinesOrVersionsRecordsAreMeasuredAgain) {
  options_.budget.trials = 10;
  Tune();
  runner_.cpu_id = "Fake-1-2-1";
  EXPECT_EQ(Tune().resumed, 0);
  schedule_.set_version(2);
  EXPECT_EQ(Tune().resumed, 0);
}

}  // namespace
}  // namespace hone
