// A store whose file cannot grow for a while: a limit on the file's size stands for a full disk.
#include "db/patient_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

class PatientStoreTest : public testing::Test {
 protected:
  PatientStoreTest() {
    getrlimit(RLIMIT_FSIZE, &usual_);
    before_ = std::signal(SIGXFSZ, SIG_IGN);
    RecordStore::Open(path_)->Append({records_[0]});
    patience_.for_ns = 10'000'000'000;
    patience_.now_ns = [this] { return now_ns_; };
    patience_.sleep = [this](int64_t ns) {
      now_ns_ += ns;
      if (++pauses_ == cured_after_) SetLimit(usual_.rlim_cur);
    };
    patience_.tell = [this](const std::string& what) { told_.push_back(what); };
    store_ = MakePatient(RecordStore::Open(path_), patience_);
  }
  ~PatientStoreTest() override {
    SetLimit(usual_.rlim_cur);
    std::signal(SIGXFSZ, before_);
  }

  void SetLimit(rlim_t bytes) const {
    const struct rlimit limit = {bytes, usual_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  void FillDisk() const { SetLimit(std::filesystem::file_size(path_)); }

  struct rlimit usual_{};
  void (*before_)(int) = SIG_DFL;
  TempFolder folder_;
  std::string path_ = folder_.File("r.db");
  std::vector<Record> records_ = SampleRecords(200);
  Patience patience_;
  std::unique_ptr<RecordStore> store_;
  int pauses_ = 0, cured_after_ = 0;
  int64_t now_ns_ = 0;
  std::vector<std::string> told_;
};

TEST_F(PatientStoreTest, ADiskThatIsFullForAWhileLosesNothing) {
  cured_after_ = 3;
  FillDisk();
  EXPECT_EQ(store_->Append(records_), 199);
  EXPECT_EQ(pauses_, 3);
  ASSERT_EQ(told_.size(), 2U);
  EXPECT_NE(told_[0].find("r.db"), std::string::npos) << told_[0];
  EXPECT_NE(told_[0].find("10 s"), std::string::npos) << told_[0];
  EXPECT_EQ(store_->Find({}).size(), 200U);
  EXPECT_EQ(RecordStore::Open(path_)->Find({}), records_);
}

TEST_F(PatientStoreTest, ADiskThatStaysFullIsAnErrorAndTheStoreIsSound) {
  FillDisk();
  try {
    store_->Append(records_);
    FAIL() << "a full disk took everything";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kIo);
  }
  EXPECT_EQ(pauses_, 10);
  EXPECT_EQ(told_.size(), 1U);
  SetLimit(usual_.rlim_cur);
  EXPECT_EQ(RecordStore::Open(path_)->Find({}), std::vector<Record>{records_[0]});
}

// A call that waits for a lock takes time as well.
TEST_F(PatientStoreTest, TimeThatCallsTakeCounts) {
  patience_.now_ns = [this] { return now_ns_ += 6'000'000'000; };
  store_ = MakePatient(RecordStore::Open(path_), patience_);
  FillDisk();
  EXPECT_THROW(store_->Append(records_), Error);
  EXPECT_EQ(pauses_, 1);
}

TEST_F(PatientStoreTest, AHurriedClientDoesNotWait) {
  patience_.hurried = [] { return true; };
  store_ = MakePatient(RecordStore::Open(path_), patience_);
  FillDisk();
  EXPECT_THROW(store_->Append(records_), Error);
  EXPECT_EQ(pauses_, 0);
}

TEST_F(PatientStoreTest, WhatIsNoTroubleOfTheDiskIsNotTriedAgain) {
  Record changed = records_[0];
  changed.threads += 1;
  EXPECT_THROW(store_->Append({changed}), Error);
  EXPECT_EQ(pauses_, 0);
}

}  // namespace
}  // namespace hone
