#include "tuner/batch_measurer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <map>

#include "tests/tuner/fake_tuning.h"

namespace hone {
namespace {

using testing::FakeRunner;
using testing::FakeSchedule;
using testing::FakeTools;

// Takes jobs and never answers; each wait uses up its whole timeout.
class SilentRunner : public FakeRunner {
 public:
  explicit SilentRunner(int64_t* clock_ns) : FakeRunner(clock_ns), clock_ns_(clock_ns) {}
  bool Wait(int64_t timeout_ns, JobResult*) override {
    *clock_ns_ += timeout_ns;
    return false;
  }

 private:
  int64_t* clock_ns_;
};

class BatchMeasurerTest : public ::testing::Test {
 protected:
  BatchMeasurerTest() : schedule_("schedule", 8), runner_(&clock_ns_), tools_(FakeTools({&schedule_}, &clock_ns_)) {
    folder_ = std::filesystem::path(::testing::TempDir()) / ("hone_measurer_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    store_ = RecordStore::Open(folder_ / "records.db");
    runner_.machines = 4;
    const SearchTask search = testing::FakeTask({&schedule_});
    tasks_.emplace_back(Task{search.workload, 1, {}}, search, "grid", 0);
    tasks_.front().reference = Artifact();
  }
  ~BatchMeasurerTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  // Built trials that differ in knob a and, by `batch`, in knob b.
  Batch BuiltBatch(int64_t batch, int64_t count) {
    const Target target = Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu");
    Batch trials;
    for (int64_t i = 0; i < count; ++i) {
      const Config config({{"a", 1 + i % 8}, {"b", batch}, {"c", 1 + i / 8}, {"d", 1}});
      const TuningTask& task = tasks_.front();
      trials.push_back(std::make_shared<Trial>(MakeTrial(task.space(), task.workload(), {"schedule", config}, target)));
      trials.back()->built = tools_.compile(trials.back()->candidate);
    }
    return trials;
  }
  // A next batch whose compiler is done.
  static std::shared_future<Batch> Compiled(const Batch& batch) {
    std::promise<Batch> compiled;
    compiled.set_value(batch);
    return compiled.get_future().share();
  }
  BatchMeasurer Measurer() {
    return {runner_, *store_, tools_, tasks_, {"s", {1}, [this] { return halted_; }}};
  }
  std::map<std::string, int> Submitted() const {
    std::map<std::string, int> times;
    for (const KernelJob& job : runner_.jobs) ++times[job.artifact.elf];
    return times;
  }

  int64_t clock_ns_ = 1'000'000'000'000;
  FakeSchedule schedule_;
  FakeRunner runner_;
  TuneTools tools_;
  std::vector<TuningTask> tasks_;  // one
  std::filesystem::path folder_;
  std::unique_ptr<RecordStore> store_;
  bool halted_ = false;
};

TEST_F(BatchMeasurerTest, MachinesThatAreDoneBeginWithTheBatchAhead) {
  BatchMeasurer measurer = Measurer();
  const Batch batch = BuiltBatch(1, 12), next = BuiltBatch(2, 12);
  measurer.Measure(batch, Compiled(next));
  for (const auto& trial : batch) EXPECT_TRUE(trial->done);
  for (size_t i = 0; i < runner_.jobs.size(); ++i) {
    EXPECT_EQ(runner_.jobs[i].artifact.elf.find("b=1") != std::string::npos, i < 12) << "its own come first";
  }
  // Only the slot that the last result has just freed may be empty.
  EXPECT_LE(runner_.FreeSlots(), 1) << "somebody idles while the last ones of a batch are measured";
  measurer.Measure(next);
  for (const auto& trial : next) EXPECT_TRUE(trial->done);
  EXPECT_EQ(Submitted().size(), 24U);
  for (const auto& [artifact, times] : Submitted()) EXPECT_EQ(times, 1) << artifact;
  EXPECT_EQ(store_->Find({}).size(), 24U);
}

TEST_F(BatchMeasurerTest, ARunnerThatIsGoneDoesNotKeepARunFromEnding) {
  SilentRunner silent(&clock_ns_);
  silent.machines = 2;
  const int64_t over_ns = clock_ns_ + 8'000'000'000;
  BatchMeasurer measurer(silent, *store_, tools_, tasks_, {"s", {1}, [&] { return clock_ns_ > over_ns; }});
  const Batch batch = BuiltBatch(1, 12);
  measurer.Measure(batch);
  EXPECT_LE(clock_ns_, over_ns + BatchMeasurer::kAfterHaltNs + 1'000'000'000);
  EXPECT_EQ(measurer.unanswered(), 4);
  for (const auto& trial : batch) EXPECT_FALSE(trial->done);
  EXPECT_TRUE(store_->Find({}).empty()) << "it says nothing of the candidates";
}

TEST_F(BatchMeasurerTest, WhatWasNotCompiledHereIsNoTrial) {
  BatchMeasurer measurer = Measurer();
  const Batch batch = BuiltBatch(1, 3);
  batch[1]->built = Rejection{Fate::kCancelled, "the system killed the compiler"};
  measurer.Measure(batch);
  EXPECT_TRUE(batch[0]->done && !batch[1]->done && batch[2]->done);
  EXPECT_EQ(store_->Find({}).size(), 2U);
}

TEST_F(BatchMeasurerTest, WaitsForNoBatchThatIsNotBuilt) {
  BatchMeasurer measurer = Measurer();
  const Batch batch = BuiltBatch(1, 12), next = BuiltBatch(2, 12);
  std::promise<Batch> compiling;
  measurer.Measure(batch, compiling.get_future().share());
  EXPECT_EQ(runner_.jobs.size(), 12U);
  measurer.Measure(next);
  EXPECT_EQ(runner_.jobs.size(), 24U);
}

TEST_F(BatchMeasurerTest, RepeatsComeBeforeTheBatchAhead) {
  BatchMeasurer measurer = Measurer();
  const Batch batch = BuiltBatch(1, 2), next = BuiltBatch(2, 30);
  const std::string noisy = std::get<Artifact>(batch[0]->built).elf;
  runner_.noisy = [&](const std::string& artifact) { return artifact == noisy; };
  measurer.Measure(batch, Compiled(next));
  EXPECT_EQ(Submitted().at(noisy), 1 + BatchMeasurer::kRepeats);
  EXPECT_LT(Submitted().size(), 32U) << "all of the batch ahead was in front of a repeat";
  measurer.Measure(next);
  EXPECT_EQ(Submitted().size(), 32U);
}

// A record that is doubted after it was stored is stored again as noisy, and no lookup takes the first one.
TEST_F(BatchMeasurerTest, KeepsResultsThatAreDoubtedLaterAsDoubted) {
  BatchMeasurer measurer = Measurer();
  const Batch batch = BuiltBatch(1, 3), next = BuiltBatch(2, 3);
  measurer.Measure(batch);
  EXPECT_EQ(store_->Find({}).size(), 3U);
  runner_.suspects = {{2, "slow"}};  // a trial of the previous batch
  measurer.Measure(next);
  EXPECT_EQ(store_->Find({}).size(), 7U);
  runner_.check_health = [] { return std::vector<SuspectResult>{{6, "slower"}, {6000, "of nobody"}}; };
  measurer.Close();
  std::map<std::string, std::vector<std::string>> reasons;  // the health notes of each config's records
  for (const Record& record : store_->Find({})) {
    const Measurement& measurement = record.measurement;
    EXPECT_EQ(measurement.noisy, !measurement.environment.health.empty());
    reasons[record.candidate.config.ToText()].push_back(measurement.environment.health);
  }
  const std::vector<std::string> believed = {""};
  EXPECT_EQ(reasons[batch[0]->candidate.config.ToText()], believed);
  EXPECT_EQ(reasons[batch[1]->candidate.config.ToText()], (std::vector<std::string>{"", "slow"}));
  EXPECT_EQ(reasons[next[1]->candidate.config.ToText()], believed);
  EXPECT_EQ(reasons[next[2]->candidate.config.ToText()], (std::vector<std::string>{"", "slower"}));
  const Record any = store_->Find({}).front();
  EXPECT_EQ(store_
                ->Best(any.candidate.workload.ToText(), any.candidate.target,
                       FingerprintOf(any.measurement.environment), any.threads, 0)
                .size(),
            4U);
}

TEST_F(BatchMeasurerTest, WhenHaltedWhatHasBegunIsWaitedFor) {
  BatchMeasurer measurer = Measurer();
  const Batch batch = BuiltBatch(1, 8), next = BuiltBatch(2, 30);
  runner_.after_job = [&] { halted_ = runner_.jobs.size() > 12; };
  measurer.Measure(batch, Compiled(next));
  const size_t submitted = runner_.jobs.size();
  measurer.Measure(next);
  EXPECT_EQ(runner_.jobs.size(), submitted);
  EXPECT_EQ(store_->Find({}).size(), submitted) << "all that was submitted has a record";
  EXPECT_LT(submitted, 38U);
}

}  // namespace
}  // namespace hone
