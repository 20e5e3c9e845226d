#include "rpc_runner/wire/job_message.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/hash/hash.h"

namespace hone {
namespace {

JobMessage Sample() {
  JobMessage message;
  message.id = 3;
  message.attempt = 2;
  message.lease = std::string(32, 'a');
  message.job.artifact.elf = "candidate";
  message.job.artifact.stages = {{"f", 4, 2, 64}};
  message.job.reference.elf = "reference";
  message.reference_sha256 = Sha256Hex("reference");
  message.job.seeds = {1, ~uint64_t{0}};
  message.job.timing.threads = 5;
  return message;
}

TEST(JobMessage, ComesBackWithItsReference) {
  const JobMessage back = JobFromFrame(DecodeFrame(EncodeFrame(JobToFrame(Sample(), true))));
  EXPECT_EQ(back.id, 3u);
  EXPECT_EQ(back.attempt, 2u);
  EXPECT_EQ(back.lease, std::string(32, 'a'));
  EXPECT_EQ(back.job.artifact, Sample().job.artifact);
  EXPECT_EQ(back.job.reference, Sample().job.reference);
  EXPECT_EQ(back.job.seeds, Sample().job.seeds);
  EXPECT_EQ(back.job.timing, Sample().job.timing);
}

TEST(JobMessage, LeavesTheReferenceOut) {
  EXPECT_TRUE(JobFromFrame(JobToFrame(Sample(), false)).job.reference.elf.empty());
}

TEST(JobMessage, RefusesBytesOfAnotherHash) {
  Frame frame = JobToFrame(Sample(), true);
  frame.parts[1] = "forged";
  EXPECT_THROW(JobFromFrame(frame), Error);
  std::string sha256;
  EXPECT_THROW(BlobFromFrame(BlobFrame(Sha256Hex("a"), "b"), &sha256), Error);
}

TEST(JobMessage, RefusesAnyMissingField) {
  for (const char* field :
       {"job", "attempt", "kind", "artifact", "reference", "reference_sha256", "tolerance", "seeds", "timing"}) {
    Frame frame = JobToFrame(Sample(), true);
    frame.header.erase(field);
    EXPECT_THROW(JobFromFrame(frame), Error) << field;
    frame.header[field] = nullptr;
    EXPECT_THROW(JobFromFrame(frame), Error) << field;
  }
}

TEST(JobMessage, AResultTellsItsCostWhenItKnows) {
  Frame frame = ResultToFrame({7, 1, FailedMeasurement(Fate::kCrashed, 11, "x"), {20, 30}});
  EXPECT_EQ(ResultFromFrame(frame).cost, (JobCost{20, 30}));
  frame.header.erase("cost");
  EXPECT_EQ(ResultFromFrame(frame).cost, JobCost());
  frame.header["cost"] = {{"verify_ns", "long"}};
  EXPECT_THROW(ResultFromFrame(frame), Error);
}

TEST(JobMessage, RefusesOtherKindsOfJob) {
  Frame frame = JobToFrame(Sample(), true);
  frame.header["kind"] = "package";
  EXPECT_THROW(JobFromFrame(frame), Error);
}

}  // namespace
}  // namespace hone
