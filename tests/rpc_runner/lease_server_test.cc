#include "rpc_runner/device/lease_server.h"

#include <gtest/gtest.h>

#include "core/hash/hash.h"
#include "rpc_runner/wire/job_message.h"

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

// A package with these parameter bytes; inputs are random.
Frame PackageFrame(JobId id, const std::string& params, const std::string& lease = kLease) {
  JobMessage message;
  message.id = id;
  message.lease = lease;
  message.package.emplace();
  message.package->params = Blob{Sha256Hex(params), static_cast<int64_t>(params.size())};
  return JobToFrame(message, false);
}

Frame Piece(const std::string& params, size_t offset, size_t count, const std::string& lease = kLease) {
  Frame frame = PieceFrame({Sha256Hex(params), static_cast<int64_t>(offset), params.substr(offset, count)});
  frame.lease = lease;
  return frame;
}

class LeaseServerTest : public testing::Test {
 protected:
  LeaseServerTest() { lease_server_.Begin(kLease); }
  std::vector<Frame> Handle(const Frame& frame) {
    return lease_server_.Handle(DecodeFrame(EncodeFrame(frame)), &for_us_);
  }
  std::vector<Frame> HandleUnder(const std::string& lease, Frame frame) {
    frame.lease = lease;
    return Handle(frame);
  }
  std::vector<Frame> Heartbeat(const Json& jobs) {
    return HandleUnder(kLease, {FrameKind::kHeartbeat, {{"jobs", jobs}}, {}});
  }

  static void ExpectNeed(const std::vector<Frame>& answer, JobId job, const std::string& params, int64_t offset) {
    ASSERT_EQ(answer.size(), 1u);
    EXPECT_EQ(answer[0].kind, FrameKind::kNeed);
    EXPECT_EQ(answer[0].header, (Json{{"job", job}, {"sha256", Sha256Hex(params)}, {"offset_bytes", offset}}));
  }

  LeaseServer lease_server_{JobCaps{0, 0, 100, 100}};
  bool for_us_ = false;
};

TEST_F(LeaseServerTest, HoldsAJobUntilItsReferenceComes) {
  const auto answer = Handle(JobFrame(1, 1, kLease, false));
  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(answer[0].kind, FrameKind::kNeed);
  EXPECT_FALSE(lease_server_.NextJob());
  HandleUnder(kLease, BlobFrame(Sha256Hex("reference"), "reference"));
  const auto job = lease_server_.NextJob();
  ASSERT_TRUE(job);
  EXPECT_EQ(job->job.reference.elf, "reference");
  EXPECT_FALSE(lease_server_.NextJob());
}

TEST_F(LeaseServerTest, RunsARepeatedJobOnceAndRepeatsItsResult) {
  Handle(JobFrame(1, 1, kLease));
  EXPECT_TRUE(Handle(JobFrame(1, 1, kLease)).empty());
  const auto job = lease_server_.NextJob();
  EXPECT_TRUE(Handle(JobFrame(1, 1, kLease)).empty());
  EXPECT_FALSE(lease_server_.NextJob());
  ASSERT_TRUE(lease_server_.Finish(*job, Measurement()));
  const auto again = Handle(JobFrame(1, 1, kLease));
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].kind, FrameKind::kResult);
  EXPECT_EQ(Heartbeat({1}).at(0).kind, FrameKind::kResult);
}

TEST_F(LeaseServerTest, GivesBackWhatHasNotBegun) {
  for (JobId id = 1; id <= 3; ++id) Handle(JobFrame(id, 1, kLease));
  ASSERT_TRUE(lease_server_.NextJob());
  const auto answer = HandleUnder(kLease, {FrameKind::kHeartbeat, {{"withdraw", {1, 3, 9}}}, {}});
  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(answer[0].header["withdrawn"], Json({3}));
  EXPECT_EQ(answer[0].header["kept"], Json({1, 9}));
  EXPECT_EQ(lease_server_.NextJob()->id, 2u);
  EXPECT_FALSE(lease_server_.NextJob());
}

TEST_F(LeaseServerTest, ReportsJobsThatNeverArrived) {
  Handle(JobFrame(1, 1, kLease));
  EXPECT_TRUE(Heartbeat({1}).empty());
  const auto answer = Heartbeat({2});
  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(HeaderText(answer[0].header, "code"), "unknown_job");
}

TEST_F(LeaseServerTest, RefusesAnotherLease) {
  EXPECT_EQ(HeaderText(Handle(JobFrame(1, 1, kOther)).at(0).header, "code"), "no_lease");
  EXPECT_FALSE(for_us_);
  EXPECT_EQ(HandleUnder(kOther, {FrameKind::kHeartbeat, Json::object(), {}}).at(0).kind, FrameKind::kLeaseEnd);
}

TEST_F(LeaseServerTest, NamesResultsSentSinceTheLastGoodCheck) {
  const auto finish = [&](JobId id, const std::string& health = "") {
    Handle(JobFrame(id, 1, kLease));
    Measurement measurement;
    measurement.environment.health = health;
    ASSERT_TRUE(lease_server_.Finish(*lease_server_.NextJob(), measurement));
  };
  finish(1);
  EXPECT_FALSE(lease_server_.OnHealthCheck("")) << "nothing to tell";
  finish(2);
  finish(3);
  EXPECT_TRUE(lease_server_.OnHealthCheck("slow"));
  EXPECT_EQ(lease_server_.Heartbeat().header, (Json{{"doubted", {2, 3}}, {"why", "slow"}}));
  // Results measured during the doubt carry it themselves.
  finish(4, "slow");
  EXPECT_FALSE(lease_server_.OnHealthCheck("slower"));
  EXPECT_EQ(lease_server_.Heartbeat(FrameKind::kLeaseEnd).header, (Json{{"doubted", {2, 3}}, {"why", "slower"}}));
  EXPECT_FALSE(lease_server_.OnHealthCheck(""));
  EXPECT_EQ(lease_server_.Heartbeat().header, Json::object());
  // Results of one lease are not reported in another.
  finish(5);
  lease_server_.Begin(kOther);
  EXPECT_FALSE(lease_server_.OnHealthCheck("slow"));
  EXPECT_EQ(lease_server_.Heartbeat().header, Json::object());
}

TEST_F(LeaseServerTest, ChecksWhenAskedAndThereAreUnverifiedResults) {
  const auto ask = [&] { return HandleUnder(kLease, {FrameKind::kHeartbeat, {{"look", true}}, {}}); };
  const auto at_once = ask();
  ASSERT_EQ(at_once.size(), 1u);
  EXPECT_EQ(at_once[0].header, (Json{{"looked", true}}));
  EXPECT_FALSE(lease_server_.wants_health_check());
  Handle(JobFrame(1, 1, kLease));
  lease_server_.Finish(*lease_server_.NextJob(), Measurement());
  EXPECT_TRUE(ask().empty());
  EXPECT_TRUE(lease_server_.wants_health_check());
  EXPECT_TRUE(lease_server_.OnHealthCheck("slow"));
  EXPECT_FALSE(lease_server_.wants_health_check());
  EXPECT_EQ(lease_server_.Heartbeat().header, (Json{{"doubted", {1}}, {"why", "slow"}, {"looked", true}}));
  EXPECT_EQ(lease_server_.Heartbeat().header, (Json{{"doubted", {1}}, {"why", "slow"}})) << "said once";
}

TEST_F(LeaseServerTest, DropsResultsOfAnEndedLease) {
  Handle(JobFrame(1, 1, kLease));
  const auto job = lease_server_.NextJob();
  lease_server_.Begin(kOther);
  EXPECT_FALSE(lease_server_.Finish(*job, Measurement()));
}

TEST_F(LeaseServerTest, AsksForParametersPieceByPiece) {
  ExpectNeed(Handle(PackageFrame(1, "0123456789")), 1, "0123456789", 0);
  EXPECT_FALSE(lease_server_.NextJob());
  ExpectNeed(Handle(Piece("0123456789", 0, 4)), 1, "0123456789", 4);
  EXPECT_TRUE(Handle(Piece("0123456789", 0, 4)).empty()) << "twice";
  EXPECT_TRUE(Handle(Piece("9876543210", 0, 4)).empty()) << "nobody asked";
  EXPECT_TRUE(Handle(Piece("0123456789", 4, 6)).empty());
  const auto job = lease_server_.NextJob();
  ASSERT_TRUE(job);
  EXPECT_EQ(job->package->params->bytes(), "0123456789");
}

TEST_F(LeaseServerTest, AsksForNothingThatItHas) {
  Handle(PackageFrame(1, "0123456789"));
  Handle(Piece("0123456789", 0, 10));
  EXPECT_TRUE(Handle(PackageFrame(2, "0123456789")).empty());
  lease_server_.Begin(kOther);
  EXPECT_TRUE(Handle(PackageFrame(1, "0123456789", kOther)).empty());
  EXPECT_TRUE(lease_server_.NextJob());
}

TEST_F(LeaseServerTest, ResumesABrokenTransfer) {
  Handle(PackageFrame(1, "0123456789"));
  Handle(Piece("0123456789", 0, 7));
  for (int beat = 1; beat < 5; ++beat) EXPECT_TRUE(Heartbeat({1}).empty()) << beat;
  ExpectNeed(Heartbeat({1}), 1, "0123456789", 7);
}

// The lease's previous holder may have named the same parameters and sent other bytes.
TEST_F(LeaseServerTest, TakesNoUnfinishedBlobFromTheLeaseBefore) {
  Handle(PackageFrame(1, "0123456789"));
  Frame forged = Piece("0123456789", 0, 7);
  forged.parts[0] = "forged!";
  ExpectNeed(Handle(forged), 1, "0123456789", 7);
  lease_server_.Begin(kOther);
  ExpectNeed(Handle(PackageFrame(1, "0123456789", kOther)), 1, "0123456789", 0);
  EXPECT_TRUE(Handle(Piece("0123456789", 0, 10, kOther)).empty());
  EXPECT_EQ(lease_server_.NextJob()->package->params->bytes(), "0123456789");
}

// A wrong size stated under one lease does not affect the next lease.
TEST_F(LeaseServerTest, TakesNoSizeFromTheLeaseBefore) {
  Frame lie = PackageFrame(1, "0123456789");
  lie.header["params"]["size_bytes"] = 99;
  Handle(lie);
  Handle(Piece("0123456789", 0, 10));
  lease_server_.Begin(kOther);
  ExpectNeed(Handle(PackageFrame(1, "0123456789", kOther)), 1, "0123456789", 0);
  EXPECT_TRUE(Handle(Piece("0123456789", 0, 10, kOther)).empty());
  EXPECT_TRUE(lease_server_.NextJob());
}

TEST_F(LeaseServerTest, FetchesOneBlobAtATime) {
  Handle(PackageFrame(1, "0123456789"));
  EXPECT_TRUE(Handle(PackageFrame(2, "abcdefghij")).empty());
  EXPECT_TRUE(Handle(Piece("abcdefghij", 0, 10)).empty());
  ExpectNeed(Handle(Piece("0123456789", 0, 10)), 2, "abcdefghij", 0);
}

TEST_F(LeaseServerTest, AsksAgainWhenNoPieceComes) {
  Handle(PackageFrame(1, "0123456789"));
  for (int beat = 1; beat < 5; ++beat) EXPECT_TRUE(Heartbeat({1}).empty()) << beat;
  ExpectNeed(Heartbeat({1}), 1, "0123456789", 0);
}

TEST_F(LeaseServerTest, RefusesParametersThatAreNotThoseOfTheirName) {
  Handle(PackageFrame(1, "0123456789"));
  Frame forged = Piece("0123456789", 0, 10);
  forged.parts[0][3] = 'x';
  const auto answer = Handle(forged);
  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(HeaderText(answer[0].header, "code"), "unsupported_job");
  EXPECT_EQ(answer[0].header["job"], 1);
  EXPECT_FALSE(lease_server_.NextJob());
  ExpectNeed(Handle(PackageFrame(2, "0123456789")), 2, "0123456789", 0);
}

TEST_F(LeaseServerTest, RefusesMoreParametersThanItMay) {
  const auto answer = Handle(PackageFrame(1, std::string(101, 'p')));
  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(HeaderText(answer[0].header, "code"), "unsupported_job");
  EXPECT_NE(HeaderText(answer[0].header, "message").find("this runner takes 100 (--max-package)"), std::string::npos);
  ExpectNeed(Handle(PackageFrame(2, std::string(100, 'p'))), 2, std::string(100, 'p'), 0);
}

TEST_F(LeaseServerTest, RefusesASizeThatIsNotTheOneItHas) {
  Handle(PackageFrame(1, "0123456789"));
  Handle(Piece("0123456789", 0, 10));
  Frame lie = PackageFrame(2, "0123456789");
  lie.header["params"]["size_bytes"] = 11;
  EXPECT_EQ(HeaderText(Handle(lie).at(0).header, "code"), "unsupported_job");
}

TEST_F(LeaseServerTest, KeepsNoMoreOutputsThan64MiB) {
  const std::string outputs(size_t{30} << 20, 'o');
  for (JobId id = 1; id <= 3; ++id) {
    Handle(JobFrame(id, 1, kLease));
    ASSERT_TRUE(lease_server_.Finish(*lease_server_.NextJob(), Measurement(), {}, outputs));
  }
  EXPECT_EQ(HeaderText(Heartbeat({1}).at(0).header, "code"), "unknown_job");
  EXPECT_EQ(Heartbeat({3}).at(0).kind, FrameKind::kResult);
}

TEST_F(LeaseServerTest, TakesSoManyJobsAndNoMore) {
  for (JobId id = 0; id < 8; ++id) EXPECT_TRUE(Handle(JobFrame(id, 1, kLease)).empty());
  EXPECT_EQ(HeaderText(Handle(JobFrame(9, 1, kLease)).at(0).header, "code"), "busy");
}

}  // namespace
}  // namespace hone
