// The sessions with other machines, exactly as in docs/tutorial/first_board.md and in docs/reference/targets.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/end_to_end/typed_session.h"

namespace hone {
namespace {

using testing::HasSubstr;

class FirstBoardTest : public TypedSessionTest {};

TEST_F(FirstBoardTest, WorksAsItIsWritten) {
  ASSERT_EQ(Shell("hone zoo mlp --image-shape 1,14,14 -o model.onnx").code, 0);
  const BoardProgram board{HONE_RUNNER, {}, {"--label", "left", "--health", "off", "--cores", "0"}};
  int tuned = 0, built = 0;
  for (const Answer& answer : Play(SessionOf(HONE_FIRST_BOARD_PAGE), board)) {
    if (answer.typed.line.starts_with("hone tune ")) {
      ++tuned;
      EXPECT_THAT(answer.result.err, HasSubstr("timing on pi4/left ("));
    } else if (answer.typed.line.starts_with("hone build ")) {
      ++built;
      EXPECT_THAT(answer.result.out, testing::AnyOf(HasSubstr(" same microarchitecture "), HasSubstr(" near ")));
    }
  }
  EXPECT_EQ(tuned, 1) << "the tutorial has no session with another machine";
  EXPECT_EQ(built, 1);
}

class BoardSessionTest : public TypedSessionTest {};

// The session of docs/reference/targets.md, with this machine as the board.
TEST_F(BoardSessionTest, WorksAsItIsWritten) {
  ASSERT_EQ(Shell("hone zoo mlp --image-shape 1,14,14 -o model.onnx").code, 0);
  const BoardProgram board{HONE_RUNNER, {}, {"--label", "left", "--health", "off", "--cores", "0"}};
  std::map<std::string, std::string> said;
  for (const Answer& answer : Play(SessionOf(HONE_TARGETS_PAGE), board)) {
    const std::string& line = answer.typed.line;
    said[line.substr(5, line.find(' ', 5) - 5)] = answer.result.out;
  }
  EXPECT_THAT(said["verify"], HasSubstr("the outputs agree"));
  EXPECT_THAT(said["run"], HasSubstr("on pi4/left"));
  EXPECT_THAT(said["bench"], HasSubstr("timed on pi4/left"));
}

}  // namespace
}  // namespace hone
