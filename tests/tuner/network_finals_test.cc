#include "tuner/finals/network_finals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "compiler/codegen/target/host.h"
#include "compiler/frontend/zoo/zoo.h"
#include "compiler/schedules/schedule.h"
#include "core/error.h"
#include "tuner/finals/network_variants.h"
#include "tuner/finals/package_gain.h"
#include "tuner/tuner.h"

namespace hone {
namespace {

using ::testing::HasSubstr;

// Answers package jobs with the time that `cost_ns` gives for each anchor's config; other calls take a microsecond.
class PackageTimer : public Runner {
 public:
  int FreeSlots() const override { return 1; }
  JobId Submit(KernelJob) override { return 0; }
  JobId SubmitPackage(PackageJob job) override {
    ++jobs;
    groups.push_back(job.group);
    JobResult result;
    result.id = static_cast<JobId>(jobs);
    result.measurement.fate = fate;
    result.measurement.message = "it did not go well";
    for (const PlanCall& call : job.plan.calls) {
      const Dispatch& dispatch = job.plan.kernels[static_cast<size_t>(call.kernel)].dispatch;
      // Rounds differ a little, as real times do.
      const int64_t ns = dispatch.workload.empty() ? 1000 : cost_ns(job.plan, dispatch);
      result.cost.calls_ns.push_back(ns + jobs % 3);
    }
    results_.push_back(result);
    return result.id;
  }
  bool Wait(int64_t, JobResult* result) override {
    if (results_.empty()) return false;
    *result = results_.front();
    results_.erase(results_.begin());
    return true;
  }
  Environment Describe() override {
    Environment environment;
    environment.cpu_id = cpu_id;
    return environment;
  }
  uint64_t OpenGroup() override { return ++last_group_; }

  std::vector<uint64_t> groups = {};  // of the jobs
  std::function<int64_t(const Plan&, const Dispatch&)> cost_ns = [](const Plan&, const Dispatch&) { return 50'000; };
  Fate fate = Fate::kOk;
  std::string cpu_id = "Fake-1-1-1";
  int jobs = 0;

 private:
  uint64_t last_group_ = 0;
  std::vector<JobResult> results_;
};

// The zoo's mlp after a run whose finals of single kernels chose each task's default, with another config 2 % behind.
class NetworkFinalsTest : public ::testing::Test {
 protected:
  NetworkFinalsTest() : module_(BuildZoo("mlp")) {
    folder_ = std::filesystem::path(::testing::TempDir()) / ("hone_network_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    store_ = RecordStore::Open(folder_ / "records.db");
    options_.context.target = HostTarget();
    options_.model = "zoo:mlp";
    for (const Task& task : ExtractTasks(module_, options_.context)) AddFinals(task.workload);
  }
  ~NetworkFinalsTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  static Config RivalOf(const Workload& workload, const DefaultConfig& best, const MachineModel& machine) {
    const ConfigSpace space = best.schedule->Space(workload, machine);
    for (int64_t i = 0; i < space.size(); ++i) {
      const bool valid = !best.schedule->Reject(workload, machine, space.At(i));
      if (valid && space.At(i) != best.config) return space.At(i);
    }
    ADD_FAILURE() << "a space of one config";
    return best.config;
  }

  void AddFinals(const Workload& workload, int64_t rival_ns = 51'000, int held = 1) {
    const MachineModel machine = MachineModelFor(options_.context.target, 1);
    const DefaultConfig best = AnalyticDefault(workload, machine);
    const std::string schedule(best.schedule->name());
    const Config rival = RivalOf(workload, best, machine);
    rivals_[workload.ToText()] = rival.ToText();
    for (int round = 1; round <= 7; ++round) {
      for (const bool incumbent : {true, false}) {
        Record record;
        record.candidate = {workload, schedule, incumbent ? best.config : rival, options_.context.target};
        record.schedule_version = best.schedule->version();
        record.session = MakeTuningRun(options_).id;
        record.measurement.samples_ns = {incumbent ? 50'000 : rival_ns};
        record.measurement.batch = {1};
        record.measurement.environment = timer_.Describe();
        record.finals = {held, round, incumbent == (rival_ns > 50'000) ? 1 : 2, incumbent};
        records_.push_back(Finish(std::move(record)));
      }
    }
    store_->Append(records_);
  }

  bool IsRival(const Dispatch& dispatch) const { return rivals_.at(dispatch.workload) == dispatch.config; }
  bool IsFirst(const Dispatch& dispatch) const { return rivals_.begin()->first == dispatch.workload; }
  NetworkFinals Hold(int64_t deadline_ns = 0) {
    return HoldNetworkFinals(module_, options_, timer_, *store_, kernels_, deadline_ns);
  }
  // The number of tasks for which a build would take the rival.
  int64_t RivalsBuilt() {
    int64_t count = 0;
    for (const auto& [workload, rival] : rivals_) {
      const auto best = store_->Best(workload, options_.context.target, FingerprintOf(timer_.Describe()), 1);
      count += best.front().record.candidate.config.ToText() == rival;
    }
    return count;
  }

  relay::IRModule module_;
  TuneOptions options_;
  PackageTimer timer_;
  CompiledKernels kernels_;
  std::filesystem::path folder_;
  std::unique_ptr<RecordStore> store_;
  std::map<std::string, std::string> rivals_;  // by workload
  std::vector<Record> records_;
};

TEST_F(NetworkFinalsTest, ReplacesAWinnerThatIsSlowerInTheModel) {
  timer_.cost_ns = [this](const Plan&, const Dispatch& d) { return IsFirst(d) && IsRival(d) ? 40'000 : 50'000; };
  ASSERT_EQ(RivalsBuilt(), 0);
  const NetworkFinals finals = Hold();
  ASSERT_TRUE(finals.held) << finals.why_not;
  EXPECT_EQ(finals.tasks, static_cast<int>(rivals_.size()));
  EXPECT_EQ(finals.replaced, 1);
  EXPECT_LT(finals.after.median, finals.before.median);
  EXPECT_LT(finals.p, 0.05);
  EXPECT_EQ(RivalsBuilt(), 1);
  RecordQuery query;
  query.workload = rivals_.begin()->first;
  for (const Record& record : store_->Find(query)) {
    if (record.finals.held != 2 || record.finals.place != 1) continue;
    EXPECT_GE(record.finals.network_ns, 40'000);
    EXPECT_LT(record.finals.network_ns, 40'003);
    EXPECT_EQ(record.measurement.MinNs(), 51'000);
    EXPECT_EQ(record.candidate.config.ToText(), rivals_.begin()->second);
  }
}

// Alone the new kernels win by a fifth, and in the network the old ones are faster.
TEST_F(NetworkFinalsTest, TimeWhatABuildTookBeforeHoweverFarBehind) {
  for (const Task& task : ExtractTasks(module_, options_.context)) AddFinals(task.workload, 40'000, 2);
  ASSERT_EQ(RivalsBuilt(), static_cast<int64_t>(rivals_.size()));
  timer_.cost_ns = [this](const Plan&, const Dispatch& d) { return IsRival(d) ? 60'000 : 50'000; };
  const NetworkFinals finals = Hold();
  ASSERT_TRUE(finals.held) << finals.why_not;
  EXPECT_EQ(finals.replaced, static_cast<int>(rivals_.size()));
  EXPECT_EQ(RivalsBuilt(), 0);
}

TEST_F(NetworkFinalsTest, CompareOnOneMachine) {
  timer_.cost_ns = [this](const Plan&, const Dispatch& d) { return IsRival(d) ? 40'000 : 50'000; };
  ASSERT_TRUE(Hold().held);
  std::map<uint64_t, int> jobs_of_group;
  for (const uint64_t group : timer_.groups) ++jobs_of_group[group];
  // Group 1 has one job, which learns the cost. Group 2 has the rounds of two variants, group 3 those of the networks
  // before and after.
  EXPECT_EQ(jobs_of_group, (std::map<uint64_t, int>{{1, 1}, {2, 14}, {3, 14}}));
}

TEST_F(NetworkFinalsTest, AreNotHeldAgainForWhatIsDecided) {
  timer_.cost_ns = [this](const Plan&, const Dispatch& d) { return IsRival(d) ? 40'000 : 50'000; };
  ASSERT_TRUE(Hold().held);
  EXPECT_EQ(RivalsBuilt(), static_cast<int64_t>(rivals_.size()));
  const int jobs = timer_.jobs;
  const NetworkFinals again = Hold();
  EXPECT_FALSE(again.held);
  EXPECT_EQ(timer_.jobs, jobs);
  EXPECT_EQ(RivalsBuilt(), static_cast<int64_t>(rivals_.size()));
}

TEST_F(NetworkFinalsTest, WhatDoesNotWinTogetherDoesNotStand) {
  // The first task's rival is fast only beside the other rivals, which are slow themselves.
  timer_.cost_ns = [this](const Plan& plan, const Dispatch& d) {
    const auto rivals = std::count_if(plan.kernels.begin(), plan.kernels.end(), [this](const PlanKernel& kernel) {
      return !kernel.dispatch.workload.empty() && IsRival(kernel.dispatch);
    });
    if (!IsRival(d)) return 50'000;
    if (!IsFirst(d)) return 60'000;
    return rivals > 1 ? 40'000 : 80'000;
  };
  ASSERT_GT(rivals_.size(), 1U);
  const NetworkFinals finals = Hold();
  ASSERT_TRUE(finals.held) << finals.why_not;
  EXPECT_EQ(finals.replaced, 0);
  EXPECT_EQ(RivalsBuilt(), 0);
}

TEST_F(NetworkFinalsTest, WithoutADifferenceTheWinnersStayAndThatIsKept) {
  const NetworkFinals finals = Hold();
  ASSERT_TRUE(finals.held) << finals.why_not;
  EXPECT_EQ(finals.replaced, 0);
  EXPECT_EQ(RivalsBuilt(), 0);
  EXPECT_FALSE(Hold().held);
}

TEST_F(NetworkFinalsTest, DoNotTakeAnotherMachinesFinalists) {
  timer_.cpu_id = "Fake-1-2-1";
  EXPECT_FALSE(Hold().held);
  EXPECT_EQ(timer_.jobs, 0);
}

TEST_F(NetworkFinalsTest, SayWhyTheyAreNotHeld) {
  EXPECT_THAT(Hold(1).why_not, HasSubstr("no time"));
  timer_.fate = Fate::kUnsupported;
  EXPECT_THAT(Hold().why_not, HasSubstr("it did not go well"));
  const std::atomic<bool> stop{true};
  timer_.fate = Fate::kOk;
  EXPECT_THAT(HoldNetworkFinals(module_, options_, timer_, *store_, kernels_, 0, &stop).why_not,
              HasSubstr("interrupted"));
  options_.seed = 99;  // another run: it has no finals
  EXPECT_THAT(Hold().why_not, HasSubstr("no task"));
  EXPECT_EQ(store_->Find({}).size(), records_.size());
}

TEST(ProposalSource, GivesWhatItIsToldWhereThatIsValid) {
  const Workload workload = Workload::Parse("nn.dense data=1x64 weight=32x64 dtype=float32 epilogue=none");
  ProposalSource source({{workload.ToText(), {"dense_pack", Config::Parse("oc_block=16")}}});
  const auto yes = [](const std::string&, const Config&) { return true; };
  const auto no = [](const std::string&, const Config&) { return false; };
  EXPECT_EQ(source.Choose(workload, {}, 1, yes)->schedule, "dense_pack");
  EXPECT_FALSE(source.Choose(workload, {}, 1, no));
  EXPECT_FALSE(
      source.Choose(Workload::Parse("nn.dense data=2x64 weight=32x64 dtype=float32 epilogue=none"), {}, 1, yes));
}

constexpr int64_t kSecondNs = 1'000'000'000;

TEST(TimeForModel, IsKeptInABudgetOfAMinute) {
  EXPECT_TRUE(KeepsTimeForModel(60 * kSecondNs));
  EXPECT_FALSE(KeepsTimeForModel(59 * kSecondNs));
  // Two seconds are for the measured peak.
  EXPECT_EQ(TimeForModelNs(60 * kSecondNs, 3 * kSecondNs, 30 * kSecondNs), 11 * kSecondNs);
  EXPECT_EQ(TimeForModelNs(60 * kSecondNs, 20 * kSecondNs, 30 * kSecondNs), 22 * kSecondNs);
  EXPECT_EQ(TimeForModelNs(60 * kSecondNs, kSecondNs, 4 * kSecondNs), 6 * kSecondNs);
}

TEST(TimeForModel, IsTheUsualPartWhereNothingElseIsKnownOrPossible) {
  EXPECT_EQ(TimeForModelNs(60 * kSecondNs, 30 * kSecondNs, 90 * kSecondNs), 11 * kSecondNs);
  EXPECT_EQ(TimeForModelNs(60 * kSecondNs, 0, 0), 17 * kSecondNs);
  EXPECT_EQ(TimeForModelNs(3600 * kSecondNs, 0, 0), 62 * kSecondNs);
}

}  // namespace
}  // namespace hone
