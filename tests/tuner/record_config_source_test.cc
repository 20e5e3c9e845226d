#include "tuner/record_config_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "compiler/schedules/schedule.h"

namespace hone {
namespace {

class RecordConfigSourceTest : public ::testing::Test {
 protected:
  RecordConfigSourceTest() {
    std::filesystem::create_directory(folder_);
    store_ = RecordStore::Open(folder_ + "/records.db");
    workload_ = Workload::Parse("nn.dense data=1x64 weight=64x64");
    target_ = Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=znver3");
    this_cpu_.cpu_model = "AMD EPYC";
    this_cpu_.cpu_id = "AuthenticAMD-25-1-1";
    default_ = AnalyticDefault(workload_, MachineModelFor(target_));
  }
  ~RecordConfigSourceTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  Record Sound(int64_t ns) const {
    Record record;
    record.candidate = {workload_, std::string(default_.schedule->name()), default_.config, target_};
    record.schedule_version = default_.schedule->version();
    record.measurement.samples_ns = {ns};
    record.measurement.batch = {1};
    record.measurement.environment = this_cpu_;
    return record;
  }
  std::optional<ConfigChoice> Choose(int threads = 1, bool valid = true) const {
    RecordConfigSource source(*store_, FingerprintOf(this_cpu_));
    return source.Choose(workload_, target_, threads, [valid](const std::string&, const Config&) { return valid; });
  }

  Environment this_cpu_;
  // A store keeps its journal beside it.
  const std::string folder_ = ::testing::TempDir() + "hone_config_source_" + std::to_string(getpid());
  std::unique_ptr<RecordStore> store_;
  Workload workload_;
  Target target_;
  DefaultConfig default_;
};

TEST_F(RecordConfigSourceTest, FindsNothingInAnEmptyStore) { EXPECT_FALSE(Choose()); }

TEST_F(RecordConfigSourceTest, GivesTheFastestRecordAndNamesIt) {
  const Record slow = Finish(Sound(900)), fast = Finish(Sound(500));
  store_->Append({slow, fast});
  const auto choice = Choose();
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->record, fast.id);
  EXPECT_EQ(choice->source, "record");
  EXPECT_EQ(choice->expected_ns, 500);
  EXPECT_EQ(choice->config, default_.config);
}

TEST_F(RecordConfigSourceTest, PassesOverOtherVersionsOfASchedule) {
  Record old = Sound(100);
  ++old.schedule_version;
  store_->Append({Finish(old), Finish(Sound(700))});
  ASSERT_TRUE(Choose());
  EXPECT_EQ(Choose()->expected_ns, 700);
}

TEST_F(RecordConfigSourceTest, PassesOverUnknownSchedulesAndInvalidConfigs) {
  Record unknown = Sound(100);
  unknown.candidate.schedule = "no_such_schedule";
  store_->Append({Finish(unknown)});
  EXPECT_FALSE(Choose());
  store_->Append({Finish(Sound(700))});
  EXPECT_FALSE(Choose(1, /*valid=*/false));
}

TEST_F(RecordConfigSourceTest, SaysFromHowFarAChoiceComes) {
  store_->Append({Finish(Sound(700))});
  EXPECT_EQ(Choose(4)->source, "other threads");
  const auto any = [](const std::string&, const Config&) { return true; };
  const auto source_on = [&](const char* cpu_id) {
    Environment there = this_cpu_;
    there.cpu_id = cpu_id;
    return RecordConfigSource(*store_, FingerprintOf(there)).Choose(workload_, target_, 1, any)->source;
  };
  EXPECT_EQ(source_on("AuthenticAMD-25-1-2"), "same microarchitecture");
  EXPECT_EQ(source_on("AuthenticAMD-26-2-1"), "near") << "it has the same name";
}

std::optional<std::string> ByConfig(const std::string&, const Config& config) { return config.ToText(); }

TEST_F(RecordConfigSourceTest, GivesTheFastestRecordOfEachClass) {
  Record other = Sound(700), slow = Sound(900);
  other.candidate.config.Set("tile_m", 2);
  const Record fast = Finish(Sound(500));
  store_->Append({Finish(other), Finish(slow), fast});
  RecordConfigSource source(*store_, FingerprintOf(this_cpu_));
  const std::vector<ConfigChoice> each = source.ChooseEach(workload_, target_, 1, ByConfig);
  ASSERT_EQ(each.size(), 2U);
  EXPECT_EQ(each[0].record, fast.id);
  EXPECT_EQ(each[1].config, other.candidate.config);
  EXPECT_EQ(each[1].expected_ns, 700);
  const auto none = [](const std::string&, const Config&) { return std::optional<std::string>(); };
  EXPECT_TRUE(source.ChooseEach(workload_, target_, 1, none).empty());
}

TEST_F(RecordConfigSourceTest, WhatWasTimedElsewhereIsNoRivalInAnotherClass) {
  Record elsewhere = Sound(100), here = Sound(800);
  elsewhere.candidate.config.Set("tile_m", 2);
  elsewhere.threads = 4;
  store_->Append({Finish(elsewhere), Finish(here)});
  RecordConfigSource source(*store_, FingerprintOf(this_cpu_));
  const std::vector<ConfigChoice> each = source.ChooseEach(workload_, target_, 1, ByConfig);
  ASSERT_EQ(each.size(), 1U);
  EXPECT_EQ(each[0].expected_ns, 800);
}

// Two other kinds of machine; the kernels of the quicker one are slower on this machine.
TEST_F(RecordConfigSourceTest, TakesOfOtherKindsTheOneThatLosesLeastAndSaysHowMuch) {
  const auto on = [&](const std::string& cpu_id, int64_t ns, int tile, const Workload& workload) {
    Record record = Sound(ns);
    record.candidate.workload = workload;
    record.candidate.config.Set("tile_m", tile);
    record.measurement.environment.cpu_id = cpu_id;
    return Finish(record);
  };
  const std::string quick = "GenuineIntel-6-85-7", slow = "AuthenticAMD-23-49-0", here = "AuthenticAMD-25-1-1";
  const Record of_quick = on(quick, 100, 1, workload_), of_slow = on(slow, 900, 2, workload_);
  store_->Append({of_quick, of_slow});
  ASSERT_EQ(Choose()->record, of_quick.id) << "nothing connects them";
  const Workload other = Workload::Parse("nn.dense data=1x32 weight=64x32");
  store_->Append({on(quick, 50, 1, other), on(slow, 70, 2, other), on(here, 150, 1, other), on(here, 110, 2, other),
                  on(here, 100, 4, other)});
  EXPECT_EQ(Choose()->record, of_slow.id);
  const RecordConfigSource source(*store_, FingerprintOf(this_cpu_));
  BuildContext context;
  context.target = target_;
  const auto loss = source.LossOf(workload_, of_slow.id, context);
  ASSERT_TRUE(loss);
  EXPECT_NEAR(loss->share, 0.1, 1e-9);
  EXPECT_EQ(loss->tasks, 1);
  EXPECT_NEAR(source.LossOf(workload_, of_quick.id, context)->share, 0.5, 1e-9);
  EXPECT_FALSE(source.LossOf(workload_, "no such record", context));
}

TEST_F(RecordConfigSourceTest, TheEstimateStandsInWhereNothingConnectsTwoKinds) {
  Record far = Sound(100);
  far.measurement.environment.cpu_id = "GenuineIntel-6-85-7";
  const Record best = Finish(far);
  Record here = Sound(100);
  here.measurement.environment.host = "here";
  store_->Append({best});
  const RecordConfigSource source(*store_, FingerprintOf(this_cpu_));
  BuildContext context;
  context.target = target_;
  EXPECT_EQ(source.LossOf(workload_, best.id, context), (ExpectedLoss{0, 0})) << "it is the default's own config";
  const Record own = Finish(here);
  store_->Append({own});
  EXPECT_FALSE(source.LossOf(workload_, own.id, context)) << "this kind measured it";
}

}  // namespace
}  // namespace hone
