#include "rpc_runner/lease_desk.h"

#include <gtest/gtest.h>

#include "core/hash.h"

namespace hone {
namespace {

const std::string kLease(32, 'a');
const std::string kOther(32, 'b');

Frame JobFrame(JobId id, uint32_t attempt, const std::string& lease, bool with_reference = true) {
  JobMessage message;
  message.id = id;
  message.attempt = attempt;
  message.lease = lease;
  message.job.artifact.elf = "elf";
  message.job.reference.elf = "reference";
  message.reference_sha256 = Sha256Hex("reference");
  return JobToFrame(message, with_reference);
}

class LeaseDeskTest : public testing::Test {
 protected:
  LeaseDeskTest() { desk_.Begin(kLease); }
  std::vector<Frame> Handle(const Frame& frame) { return desk_.Handle(DecodeFrame(EncodeFrame(frame)), &for_us_); }
  std::vector<Frame> HandleUnder(const std::string& lease, Frame frame) {
    frame.lease = lease;
    return Handle(frame);
  }
  std::vector<Frame> Beat(const Json& jobs) {
    return HandleUnder(kLease, {FrameKind::kHeartbeat, {{"jobs", jobs}}, {}});
  }

  LeaseDesk desk_;
  bool for_us_ = false;
};

TEST_F(LeaseDeskTest, HoldsAJobUntilItsReferenceComes) {
  const auto answer = Handle(JobFrame(1, 1, kLease, false));
  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(answer[0].kind, FrameKind::kNeed);
  EXPECT_FALSE(desk_.NextJob());
  HandleUnder(kLease, BlobFrame(Sha256Hex("reference"), "reference"));
  const auto job = desk_.NextJob();
  ASSERT_TRUE(job);
  EXPECT_EQ(job->job.reference.elf, "reference");
  EXPECT_FALSE(desk_.NextJob());
}

TEST_F(LeaseDeskTest, RunsARepeatedJobOnceAndRepeatsItsResult) {
  Handle(JobFrame(1, 1, kLease));
  EXPECT_TRUE(Handle(JobFrame(1, 1, kLease)).empty());
  const auto job = desk_.NextJob();
  EXPECT_TRUE(Handle(JobFrame(1, 1, kLease)).empty());
  EXPECT_FALSE(desk_.NextJob());
  ASSERT_TRUE(desk_.Finish(*job, Measurement()));
  const auto again = Handle(JobFrame(1, 1, kLease));
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].kind, FrameKind::kResult);
  EXPECT_EQ(Beat({1}).at(0).kind, FrameKind::kResult);
}

TEST_F(LeaseDeskTest, GivesBackWhatHasNotBegun) {
  for (JobId id = 1; id <= 3; ++id) Handle(JobFrame(id, 1, kLease));
  ASSERT_TRUE(desk_.NextJob());
  const auto answer = HandleUnder(kLease, {FrameKind::kHeartbeat, {{"withdraw", {1, 3, 9}}}, {}});
  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(answer[0].header["withdrawn"], Json({3}));
  EXPECT_EQ(answer[0].header["kept"], Json({1, 9}));
  EXPECT_EQ(desk_.NextJob()->id, 2u);
  EXPECT_FALSE(desk_.NextJob());
}

TEST_F(LeaseDeskTest, TellsOfJobsThatNeverArrived) {
  Handle(JobFrame(1, 1, kLease));
  EXPECT_TRUE(Beat({1}).empty());
  const auto answer = Beat({2});
  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(HeaderText(answer[0].header, "code"), "unknown_job");
}

TEST_F(LeaseDeskTest, RefusesAnotherLease) {
  EXPECT_EQ(HeaderText(Handle(JobFrame(1, 1, kOther)).at(0).header, "code"), "no_lease");
  EXPECT_FALSE(for_us_);
  EXPECT_EQ(HandleUnder(kOther, {FrameKind::kHeartbeat, Json::object(), {}}).at(0).kind, FrameKind::kLeaseEnd);
}

TEST_F(LeaseDeskTest, DropsResultsOfAnEndedLease) {
  Handle(JobFrame(1, 1, kLease));
  const auto job = desk_.NextJob();
  desk_.Begin(kOther);
  EXPECT_FALSE(desk_.Finish(*job, Measurement()));
}

TEST_F(LeaseDeskTest, TakesSoManyJobsAndNoMore) {
  for (JobId id = 0; id < 8; ++id) EXPECT_TRUE(Handle(JobFrame(id, 1, kLease)).empty());
  EXPECT_EQ(HeaderText(Handle(JobFrame(9, 1, kLease)).at(0).header, "code"), "busy");
}

}  // namespace
}  // namespace hone
