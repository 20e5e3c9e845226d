#include <gtest/gtest.h>
#include <sys/socket.h>

#include "core/hash/hash.h"
#include "rpc_runner/process/executor_process.h"
#include "rpc_runner/wire/job_message.h"
#include "rpc_runner/wire/protocol.h"
#include "tests/rpc_runner/kernel_fixture.h"

namespace hone {
namespace {

JobMessage Message(const std::string& kernel) {
  JobMessage message;
  message.id = 5;
  message.attempt = 2;
  message.job = DenseJob(kernel);
  message.reference_sha256 = Sha256Hex(message.job.reference.elf);
  return message;
}

TEST(Executor, AsksForAReferenceOnce) {
  ExecutorProcess executor({});
  const JobMessage message = Message("dense");
  Frame frame;
  ASSERT_TRUE(WriteFrame(executor.fd(), JobToFrame(message, false)));
  ASSERT_TRUE(ReadFrame(executor.fd(), &frame));
  ASSERT_EQ(frame.kind, FrameKind::kNeed);
  EXPECT_EQ(HeaderText(frame.header, "sha256"), message.reference_sha256);
  ASSERT_TRUE(WriteFrame(executor.fd(), BlobFrame(message.reference_sha256, message.job.reference.elf)));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(ReadFrame(executor.fd(), &frame));
    const ResultMessage result = ResultFromFrame(frame);
    EXPECT_EQ(result.id, 5u);
    EXPECT_EQ(result.attempt, 2u);
    EXPECT_EQ(result.measurement.fate, Fate::kOk) << result.measurement.message;
    ASSERT_TRUE(WriteFrame(executor.fd(), JobToFrame(message, false)));
  }
}

TEST(Executor, AnswersJobsOfOtherKinds) {
  ExecutorProcess executor({});
  Frame probe = JobToFrame(Message("dense"), true);
  probe.header["kind"] = "probe";
  Frame answer;
  ASSERT_TRUE(WriteFrame(executor.fd(), probe));
  ASSERT_TRUE(ReadFrame(executor.fd(), &answer));
  EXPECT_EQ(answer.kind, FrameKind::kError);
  EXPECT_EQ(HeaderText(answer.header, "code"), "unsupported_job");
  EXPECT_EQ(HeaderNumber(answer.header, "job"), HeaderNumber(probe.header, "job"));
}

TEST(Executor, LeavesOnABadFrame) {
  ExecutorProcess executor({});
  const std::string garbage(100, 'x');
  ASSERT_EQ(send(executor.fd(), garbage.data(), garbage.size(), 0), 100);
  Frame frame;
  EXPECT_FALSE(ReadFrame(executor.fd(), &frame));
}

}  // namespace
}  // namespace hone
