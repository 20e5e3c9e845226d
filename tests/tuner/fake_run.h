// A tuning run in a fake world with a store of its own: the fixture of tests that tune.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/tuner/fake_tuning.h"
#include "tuner/tuner.h"

namespace hone::testing {

class FakeRun : public ::testing::Test {
 protected:
  // Two tasks of one schedule, used three times and once.
  FakeRun();
  ~FakeRun() override;

  TuneReport Tune();
  // The number of records of the search that count, by candidate.
  std::map<std::string, int> Recorded() const;
  void ExpectNoneTwice() const;

  int64_t clock_ns_ = 1'000'000'000'000;
  FakeSchedule schedule_;
  FakeRunner runner_;
  TuneTools tools_;
  std::filesystem::path folder_;
  std::unique_ptr<RecordStore> store_;
  std::vector<Task> tasks_;
  TuneOptions options_;
  std::atomic<bool> stop_{false};
  std::vector<TuneEvent> events_;  // of all runs together
};

}  // namespace hone::testing
