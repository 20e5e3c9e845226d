#include "tests/tuner/fake_run.h"

#include <unistd.h>

#include "tuner/tuning_loop.h"

namespace hone::testing {

FakeRun::FakeRun() : schedule_("schedule", 8), runner_(&clock_ns_), tools_(FakeTools({&schedule_}, &clock_ns_)) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  folder_ = std::filesystem::path(::testing::TempDir()) /
            ("hone_tuner_" + std::string(test->name()) + std::to_string(getpid()));
  std::filesystem::create_directories(folder_);
  store_ = RecordStore::Open(folder_ / "records.db");
  tasks_.push_back({FakeWorkload(1), 3, {}});
  tasks_.push_back({FakeWorkload(2), 1, {}});
  options_.context.target = Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=znver3");
  options_.model = "fake";
}

FakeRun::~FakeRun() {
  store_.reset();
  std::filesystem::remove_all(folder_);
}

TuneReport FakeRun::Tune() {
  const auto observe = [this](const TuneEvent& event) { events_.push_back(event); };
  return TuningLoop(tasks_, options_, runner_, *store_, tools_, observe, &stop_).Run();
}

std::map<std::string, int> FakeRun::Recorded() const {
  std::map<std::string, int> times;
  for (const Record& record : store_->Find({})) {
    if (record.measurement.fate == Fate::kRunnerLost || record.finals.held > 0) continue;
    ++times[record.candidate.workload.ToText() + record.candidate.schedule + record.candidate.config.ToText()];
  }
  return times;
}

void FakeRun::ExpectNoneTwice() const {
  for (const auto& [candidate, times] : Recorded()) EXPECT_EQ(times, 1) << candidate;
}

}  // namespace hone::testing
