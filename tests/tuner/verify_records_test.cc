#include "tuner/verify_records.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/machine/fingerprint.h"
#include "tests/tuner/fake_run.h"

namespace hone {
namespace {

constexpr const char* kGood = "a=3 b=5 c=4 d=2";
constexpr const char* kBad = "a=6 b=1 c=6 d=6";

class VerifyRecordsTest : public testing::FakeRun {
 protected:
  // A record as a pack would bring it: another host with an identical CPU reports this time.
  Record Imported(const std::string& config, int64_t ns, size_t task = 0) {
    Record record;
    record.candidate = {tasks_[task].workload, std::string(schedule_.name()), Config::Parse(config),
                        options_.context.target};
    record.threads = options_.context.threads;
    record.measurement.environment = runner_.Describe();
    record.measurement.environment.host = "elsewhere";
    record.measurement.samples_ns = {ns};
    record.measurement.batch = {1};
    record.session = "theirs";
    return Finish(record);
  }
  VerifyReport Verify(const std::vector<Record>& records, int64_t budget_ns = 0) {
    store_->Append(records);
    VerifyOptions options;
    options.context = options_.context;
    options.budget_ns = budget_ns;
    return VerifyRecords(
        records, options, runner_, *store_, tools_, [] { return false; }, [this](const VerifiedRecord&) { ++told_; });
  }
  std::string Built() {
    const auto best = store_->Best(tasks_[0].workload.ToText(), options_.context.target,
                                   FingerprintOf(runner_.Describe()), options_.context.threads);
    return best.empty() ? "" : best.front().record.candidate.config.ToText();
  }
  int64_t CostNs(const std::string& config) const { return schedule_.CostNs(Config::Parse(config)); }

  int told_ = 0;
};

TEST_F(VerifyRecordsTest, ATimeThatIsTheSameHereHolds) {
  const VerifyReport report = Verify({Imported(kGood, CostNs(kGood))});
  ASSERT_EQ(report.records.size(), 1U);
  EXPECT_EQ(report.records[0].holding, Holding::kHolds) << report.records[0].why;
  EXPECT_EQ(report.records[0].here_ns, CostNs(kGood));
  EXPECT_GT(report.records[0].default_ns, CostNs(kGood));
  EXPECT_EQ(told_, 1);
  EXPECT_EQ(Built(), kGood);
}

TEST_F(VerifyRecordsTest, OtherTimesThatBeatTheDefaultAreFasterOrSlower) {
  EXPECT_EQ(Verify({Imported(kGood, CostNs(kGood) / 2)}).records[0].holding, Holding::kSlower);
  EXPECT_EQ(Verify({Imported(kGood, CostNs(kGood) * 2)}).records[0].holding, Holding::kFaster);
}

TEST_F(VerifyRecordsTest, NoBuildTakesWhatLostHere) {
  const std::vector<Record> lucky = {Imported(kBad, 100)};
  store_->Append(lucky);
  ASSERT_EQ(Built(), kBad) << "believed until it is timed";
  const VerifyReport report = Verify(lucky);
  EXPECT_EQ(report.records[0].holding, Holding::kLoses);
  EXPECT_NE(Built(), kBad);
  EXPECT_EQ(CostNs(Built()), report.records[0].default_ns);
}

TEST_F(VerifyRecordsTest, WhatCannotBeBuiltHereFails) {
  Record unknown = Imported(kGood, 100);
  unknown.candidate.schedule = "no_such_schedule";
  Record newer = Imported(kGood, 100);
  newer.schedule_version = 7;
  for (const Record& record : {Finish(unknown), Finish(newer)}) {
    const VerifyReport report = Verify({record});
    EXPECT_EQ(report.records[0].holding, Holding::kFailed);
    EXPECT_FALSE(report.records[0].why.empty());
  }
  EXPECT_TRUE(runner_.jobs.empty());
}

TEST_F(VerifyRecordsTest, NoBuildTakesWhatCrashedHere) {
  const std::string cost = std::to_string(CostNs(kGood));
  runner_.fate = [&](const std::string& artifact) {
    return artifact.find(" " + cost + " ") != std::string::npos ? Fate::kCrashed : Fate::kOk;
  };
  const std::vector<Record> own = {Imported(kGood, 100)};
  store_->Append(own);
  ASSERT_EQ(Built(), kGood) << "believed until it is run";
  EXPECT_EQ(Verify(own).records[0].holding, Holding::kFailed);
  EXPECT_NE(Built(), kGood);
  EXPECT_NE(Built(), "") << "the default was measured beside it";
}

TEST_F(VerifyRecordsTest, NoBuildTakesWhatCannotBeCompiledAnyMore) {
  const std::vector<Record> own = {Imported(kGood, 100)};
  const auto compile = tools_.compile;
  tools_.compile = [&](const Candidate& candidate) -> std::variant<Artifact, Rejection> {
    if (candidate.config == Config::Parse(kGood)) return Rejection{Fate::kCompileFailed, "out of registers"};
    return compile(candidate);
  };
  EXPECT_EQ(Verify(own).records[0].why, "out of registers");
  EXPECT_EQ(Built(), "");
}

TEST_F(VerifyRecordsTest, AMachineThatCannotCompileCondemnsNoRecord) {
  const std::vector<Record> own = {Imported(kGood, 100)};
  tools_.compile = [&](const Candidate&) { return Rejection{Fate::kCancelled, "/tmp is full", ExitCode::kIo}; };
  EXPECT_THROW(Verify(own), Error);
  EXPECT_EQ(store_->Find({}).size(), 1U);
  EXPECT_EQ(Built(), kGood);
}

TEST_F(VerifyRecordsTest, AMachineThatCannotRunCondemnsNoRecord) {
  const std::vector<Record> own = {Imported(kGood, 100)};
  runner_.fate = [](const std::string&) { return Fate::kCancelled; };
  runner_.detail = static_cast<int32_t>(ExitCode::kNoRunner);
  EXPECT_THROW(Verify(own), Error);
  EXPECT_EQ(store_->Find({}).size(), 1U);
  EXPECT_EQ(Built(), kGood);
}

TEST_F(VerifyRecordsTest, BehindAnotherMachinesRecordThatCrashesTheDefaultIsTaken) {
  const std::string cost = std::to_string(CostNs(kGood));
  runner_.fate = [&](const std::string& artifact) {
    return artifact.find(" " + cost + " ") != std::string::npos ? Fate::kCrashed : Fate::kOk;
  };
  Record elsewhere = Imported(kGood, 100);
  elsewhere.measurement.environment.cpu_id = "Fake-2-1-1";
  EXPECT_EQ(Verify({Finish(elsewhere)}).records[0].holding, Holding::kFailed);
  EXPECT_NE(Built(), kGood);
}

TEST_F(VerifyRecordsTest, OneOfEachWorkloadAndTheLongestFirst) {
  const VerifyReport report = Verify({Imported(kGood, 500, 1), Imported(kBad, 900), Imported(kGood, 800)});
  ASSERT_EQ(report.records.size(), 2U);
  EXPECT_EQ(report.records[0].workload, tasks_[0].workload.ToText());
  EXPECT_EQ(report.records[0].recorded_ns, 800) << "the one that a build would take";
  EXPECT_EQ(report.records[1].workload, tasks_[1].workload.ToText());
}

TEST_F(VerifyRecordsTest, AMachineThatIsLostIsSaidAndKeepsNothing) {
  runner_.fate = [](const std::string&) { return Fate::kRunnerLost; };
  const VerifyReport report = Verify({Imported(kGood, 500), Imported(kGood, 500, 1)});
  EXPECT_TRUE(report.lost);
  EXPECT_EQ(report.not_reached, 2);
  EXPECT_TRUE(report.records.empty());
  EXPECT_EQ(store_->Find({}).size(), 2U) << "what was imported";
}

TEST_F(VerifyRecordsTest, NothingIsBegunBeyondTheBudget) {
  const VerifyReport report = Verify({Imported(kGood, 500), Imported(kGood, 500, 1)}, 1);
  EXPECT_EQ(report.records.size(), 1U);
  EXPECT_EQ(report.not_reached, 1);
  EXPECT_FALSE(report.lost);
}

}  // namespace
}  // namespace hone
