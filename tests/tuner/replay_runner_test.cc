#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/tuner/fake_run.h"
#include "tuner/replay/replay.h"
#include "tuner/tuning_loop.h"

namespace hone {
namespace {

using testing::FakeRunner;
using testing::FakeTools;
using testing::FakeWorkload;

// A recorded run, to be replayed.
class ReplayTest : public testing::FakeRun {
 protected:
  ReplayTest() { options_.budget.trials = 80; }
  TuneReport RecordRun() {
    FakeRunner runner(&clock_ns_);
    std::map<std::string, int> tries;
    runner.noisy = [&tries](const std::string& artifact) { return ++tries[artifact] == 1 && tries.size() % 4 == 0; };
    runner.fate = [](const std::string& artifact) {
      return artifact.find("d=6") == std::string::npos ? Fate::kOk : Fate::kWrongOutput;
    };
    return TuningLoop(tasks_, options_, runner, *store_, FakeTools({&schedule_}, &clock_ns_), Watch(), nullptr).Run();
  }
  TuneReport ReplayRun() { return ReplayWith({&schedule_}, tasks_, options_, *store_, Watch(), nullptr); }
  std::function<void(const TuneEvent&)> Watch() {
    seen_.clear();
    return [this](const TuneEvent& event) {
      if (event.kind == TuneEventKind::kTrial)
        seen_.push_back(event.task + event.config + std::to_string(event.min_ns));
    };
  }

  std::vector<std::string> seen_;  // trials in order
};

TEST_F(ReplayTest, RecordsOfAnotherScheduleVersionAreRefused) {
  RecordRun();
  schedule_.set_version(2);
  for (const uint64_t seed : {options_.seed, options_.seed + 1}) {
    options_.seed = seed;
    try {
      ReplayRun();
      ADD_FAILURE() << "seed " << seed << " was replayed";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData);
      EXPECT_STREQ(error.what(), "the store's records are of schedule version 1; this program replays version 2");
    }
  }
}

TEST_F(ReplayTest, TheSameSeedTakesTheSameDecisions) {
  for (const StrategyEntry& strategy : AllStrategies()) {
    options_.strategy = strategy.name;
    const TuneReport recorded = RecordRun();
    const std::vector<std::string> trials = seen_;
    const TuneReport replayed = ReplayRun();
    EXPECT_EQ(seen_, trials) << strategy.name;
    for (size_t i = 0; i < recorded.tasks.size(); ++i) {
      const TaskReport &then = recorded.tasks[i], &now = replayed.tasks[i];
      EXPECT_EQ(now.best_config, then.best_config);
      EXPECT_EQ(now.best_ns, then.best_ns);
      EXPECT_EQ(now.finals.held, then.finals.held);
      EXPECT_EQ(now.finals.finalists, then.finals.finalists);
      EXPECT_EQ(now.finals.p, then.finals.p);
    }
    EXPECT_EQ(recorded.tasks[0].finals.held, 1) << strategy.name;
  }
}

TEST_F(ReplayTest, KeepsTheRecordingAsItIs) {
  RecordRun();
  const int64_t records = store_->Stats().records;
  ReplayRun();
  EXPECT_EQ(store_->Stats().records, records);
}

TEST_F(ReplayTest, AskedOtherwiseItFindsWhatWasRecorded) {
  RecordRun();
  options_.strategy = "random";
  const TuneReport report = ReplayRun();
  EXPECT_LT(report.trials, 80);
  EXPECT_GE(report.trials, 2);  // the default configs
}

TEST_F(ReplayTest, ARecordingOfAnotherThreadCountIsRefused) {
  RecordRun();
  options_.context.threads = 2;
  EXPECT_THROW(ReplayRun(), Error);
}

TEST(ReplayRunner, ACandidateWithoutARecordIsCancelled) {
  Record record;
  record.candidate = {FakeWorkload(), "schedule", Config::Parse("a=1 b=2"), {}};
  record.artifact_sha256 = "x";
  ReplayRunner runner({record});
  KernelJob job;
  const auto fate_of = [&](const char* config) {
    job.artifact = std::get<Artifact>(runner.Compile({FakeWorkload(), "schedule", Config::Parse(config), {}}));
    JobResult result;
    const JobId id = runner.Submit(job);
    EXPECT_TRUE(runner.Wait(-1, &result));
    EXPECT_EQ(result.id, id);
    return result.measurement.fate;
  };
  EXPECT_EQ(fate_of("b=2 a=1"), Fate::kOk);
  EXPECT_EQ(fate_of("a=1 b=2"), Fate::kOk);
  EXPECT_EQ(runner.now_ns(), 0);
  EXPECT_EQ(fate_of("a=1 b=3"), Fate::kCancelled);
  EXPECT_EQ(runner.now_ns(), ReplayRunner::kUnknownNs);
}

}  // namespace
}  // namespace hone
