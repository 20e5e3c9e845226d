#include "tuner/compile/compile_message.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/tuner/fake_tuning.h"

namespace hone {
namespace {

Target SomeTarget() { return Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=znver3"); }

TEST(CompileMessage, RequestsComeBack) {
  const Candidate candidate{testing::FakeWorkload(), "dense_pack", Config::Parse("oc_block=16"), SomeTarget()};
  EXPECT_EQ(std::get<Candidate>(RequestFromFrame(RequestToFrame(candidate))), candidate);
  const ReferenceRequest reference{testing::FakeWorkload(), SomeTarget()};
  EXPECT_EQ(std::get<ReferenceRequest>(RequestFromFrame(RequestToFrame(reference))), reference);
}

TEST(CompileMessage, AnswersComeBack) {
  Artifact artifact;
  artifact.elf = std::string(
      "\x7f"
      "ELF\0x",
      6);
  artifact.stages = {{"f", 4, 2, 64}};
  EXPECT_EQ(std::get<Artifact>(AnswerFromFrame(AnswerToFrame(artifact))), artifact);
  const auto back = std::get<Rejection>(AnswerFromFrame(AnswerToFrame(Rejection{Fate::kTimedOut, "late"})));
  EXPECT_EQ(back.fate, Fate::kTimedOut);
  EXPECT_EQ(back.reason, "late");
  const Rejection refused{Fate::kCancelled, "no room", ExitCode::kIo};
  EXPECT_EQ(std::get<Rejection>(AnswerFromFrame(AnswerToFrame(refused))).code, ExitCode::kIo);
}

TEST(CompileMessage, AHelloOfAnotherVersionIsRefused) {
  EXPECT_NO_THROW(CheckHello(HelloFrame(), "hone-compiler"));
  Frame newer = HelloFrame();
  newer.header["hone"] = "99.0";
  // An artifact stands for older versions, which send no hello and answer at once.
  for (const Frame& frame : {newer, AnswerToFrame(Artifact())}) {
    try {
      CheckHello(frame, "/opt/hone-compiler");
      ADD_FAILURE() << "it was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kNoRunner);
      EXPECT_NE(std::string(error.what()).find("/opt/hone-compiler is "), std::string::npos) << error.what();
    }
  }
}

TEST(CompileMessage, RefusesWhatIsNeither) {
  EXPECT_THROW(RequestFromFrame({FrameKind::kJob, {{"kind", "kernel"}}, {}}), Error);
  EXPECT_THROW(RequestFromFrame({FrameKind::kResult, {{"kind", "compile"}}, {}}), Error);
  EXPECT_THROW(AnswerFromFrame({FrameKind::kJob, {{"fate", "Ok"}, {"reason", ""}}, {}}), Error);
  EXPECT_THROW(AnswerFromFrame({FrameKind::kResult, Json::object(), {}}), Error);
  Frame without = AnswerToFrame(Artifact());
  without.parts.clear();
  EXPECT_THROW(AnswerFromFrame(without), Error);
}

}  // namespace
}  // namespace hone
