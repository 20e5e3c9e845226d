// The pages' sessions with a board, from enrolment to times of the built model, with encryption by keys. The board is
// the one-file runner of another architecture under qemu-user.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "tests/end_to_end/board.h"

namespace hone {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class EmulatedSession : public TypedSessionTest {
 protected:
  void SetUp() override {
    TypedSessionTest::SetUp();
    board_ = BoardUnderTest();
    if (const std::string why = WhyNoBoard(board_); !why.empty()) GTEST_SKIP() << why;
  }

  // The result of each command; the last one of a name counts.
  std::map<std::string, ProgramResult> Say(const std::string& page) {
    std::vector<Typed> session = SessionOf(page);
    // An emulator takes seconds for a run, and a job may take a minute.
    for (Typed& typed : session) {
      if (const size_t at = typed.line.find("--runs 20"); at != std::string::npos)
        typed.line.replace(at, 9, "--runs 3");
    }
    BoardProgram start = StartOf(board_);
    start.after.insert(start.after.end(), {"--label", "file"});
    std::map<std::string, ProgramResult> said;
    for (const Answer& answer : Play(session, start)) {
      const std::string& line = answer.typed.line;
      said[line.substr(5, line.find(' ', 5) - 5)] = answer.result;
    }
    return said;
  }

  Board board_;
};

TEST_F(EmulatedSession, WorksAsTheTutorialTypesIt) {
  ASSERT_EQ(Shell("hone zoo mlp --image-shape 1,14,14 -o model.onnx").code, 0);
  auto said = Say(HONE_FIRST_BOARD_PAGE);
  EXPECT_THAT(said["tune"].err, AllOf(HasSubstr("timing on pi4/file ("), HasSubstr("-mtriple=" + board_.arch)));
  // On busy cores no time of a task may be good enough for a build.
  if (said["tune"].out.find("all trials that worked were noisy") == std::string::npos) {
    EXPECT_THAT(said["build"].out, HasSubstr(" near ")) << "no records: " << said["tune"].out;
  }
}

// HONE_NETWORK is a name of `hone zoo`, HONE_IMAGE the shape of its input.
TEST_F(EmulatedSession, TunesChecksAndTimesANetwork) {
  const char *network = std::getenv("HONE_NETWORK"), *image = std::getenv("HONE_IMAGE");
  const std::string zoo = std::string("hone zoo ") + (network != nullptr ? network : "squeezenet_v1.1");
  ASSERT_EQ(Shell(zoo + " --image-shape " + (image != nullptr ? image : "3,32,32") + " -o model.onnx").code, 0);
  auto said = Say(HONE_TARGETS_PAGE);
  EXPECT_THAT(said["verify"].out, AllOf(HasSubstr("tolerance 1e-04"), HasSubstr("the outputs agree")));
  EXPECT_THAT(said["run"].out, HasSubstr("on pi4/file"));
  EXPECT_THAT(said["bench"].out, AllOf(HasSubstr("timed on pi4/file"), HasSubstr("it is emulated")));
  // All records, because none is the best where other programs keep the cores busy.
  const ProgramResult log = Shell("hone log export --all --db records.db");
  EXPECT_THAT(log.out, AllOf(HasSubstr("\"emulated\":true"), Not(HasSubstr("\"emulated\":false")))) << log.err;
  const ProgramResult compared = Shell("hone compare model.onnx --from-records --db records.db");
  EXPECT_THAT(compared.out, AllOf(HasSubstr("not compared: emulated"), Not(HasSubstr("1.00x")))) << compared.err;
  // The output makes a row of docs/reference/targets.md.
  std::printf("%s%s", said["verify"].out.c_str(), said["bench"].out.c_str());
}

}  // namespace
}  // namespace hone
