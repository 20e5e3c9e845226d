#include <gtest/gtest.h>

#include "db/verdicts/row_verdicts.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

const Target kZen3{"x86_64-pc-linux-gnu", "znver3", {}, 0};

class FailedSinceTest : public testing::Test {
 protected:
  BestRow& Add(const std::string& session, const std::string& candidate, Fate fate) {
    BestRow row;
    row.seq = static_cast<int64_t>(rows_.size()) + 1;
    row.id = RecordId(std::to_string(row.seq));
    row.session = session;
    row.candidate = candidate;
    row.fate = fate;
    row.min_ns = fate == Fate::kOk ? 100 : 0;
    row.setup = SharedSetup({kZen3, here_});
    return rows_.emplace_back(row);
  }
  // The ids of the failures that speak against each row; "-" for none.
  std::string Against() const {
    std::string text;
    for (const BestRow* failure : FailedSince(rows_, {kZen3, here_, 1})) {
      text += failure == nullptr ? "-" : failure->id.text();
    }
    return text;
  }

  const Fingerprint here_ = FingerprintOf(EpycOf("AuthenticAMD-25-1-1"));
  const Fingerprint there_ = FingerprintOf(EpycOf("AuthenticAMD-26-2-1"));
  const Fingerprint third_ = FingerprintOf(EpycOf("AuthenticAMD-23-1-1"));
  std::vector<BestRow> rows_;
};

TEST_F(FailedSinceTest, ALaterFailureAffectsItsKernelAlone) {
  Add("s", "a", Fate::kOk);
  Add("s", "b", Fate::kOk);
  Add("t", "a", Fate::kCrashed);
  EXPECT_EQ(Against(), "3--");
}

TEST_F(FailedSinceTest, WhatAnotherSessionSawLaterStands) {
  Add("s", "a", Fate::kWrongOutput);
  Add("t", "a", Fate::kOk);
  EXPECT_EQ(Against(), "--");
  Add("u", "a", Fate::kWrongOutput);
  EXPECT_EQ(Against(), "-3-");
  Add("v", "a", Fate::kOk);
  EXPECT_EQ(Against(), "----") << "it works again";
}

TEST_F(FailedSinceTest, AKernelThatIsWrongOnceInASessionIsWrongInAllOfIt) {
  Add("s", "a", Fate::kOk);
  Add("s", "a", Fate::kCrashed);
  Add("s", "a", Fate::kOk);
  EXPECT_EQ(Against(), "2-2");
}

TEST_F(FailedSinceTest, AFailureElsewhereCountsForWhatWasMeasuredThere) {
  Add("s", "a", Fate::kOk);
  ChangeSetup(Add("s", "a", Fate::kOk), [&](auto& setup) { setup.machine = there_; });
  ChangeSetup(Add("t", "a", Fate::kCrashed), [&](auto& setup) { setup.machine = there_; });
  EXPECT_EQ(Against(), "-3-");
}

TEST_F(FailedSinceTest, AFailureHereCountsForWhatWasMeasuredAnywhere) {
  ChangeSetup(Add("s", "a", Fate::kOk), [&](auto& setup) { setup.machine = there_; });
  ChangeSetup(Add("s", "a", Fate::kOk), [&](auto& setup) { setup.machine = third_; });
  Add("t", "a", Fate::kCrashed);
  EXPECT_EQ(Against(), "33-");
}

TEST_F(FailedSinceTest, OtherVersionsAndThreadsAreOtherKernels) {
  Add("s", "a", Fate::kOk).schedule_version = 2;
  Add("s", "a", Fate::kOk);
  ChangeSetup(Add("t", "a", Fate::kCrashed), [&](auto& setup) { setup.threads = 4; });
  EXPECT_EQ(Against(), "---");
  ChangeSetup(rows_[1], [&](auto& setup) { setup.threads = 4; });
  EXPECT_EQ(Against(), "-3-");
}

TEST_F(FailedSinceTest, WhatTheMachineDidIsNoFaultOfTheKernel) {
  Add("s", "a", Fate::kOk);
  Add("t", "a", Fate::kTimedOut);
  Add("t", "a", Fate::kRunnerLost);
  EXPECT_EQ(Against(), "---");
  rows_[1].held = 1;
  EXPECT_EQ(Against(), "2--") << "in finals every kernel had its turns";
}

TEST_F(FailedSinceTest, AFailureThatBlamesTheKernelForTheMachineDoesNotCount) {
  Add("s", "a", Fate::kOk);
  Add("t", "a", Fate::kCompileFailed);
  EXPECT_EQ(Against(), "2-");
  rows_[1].blames_for_machine = true;
  EXPECT_EQ(Against(), "--");
}

}  // namespace
}  // namespace hone
