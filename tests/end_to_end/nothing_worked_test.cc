// A tuning run in which no kernel could be measured says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/serialize.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

class NothingWorked : public ProgramTest {
 protected:
  // With a compiler that compiles nothing: it is found by name only where none lies beside the program.
  ProgramResult TuneInVain(const std::string& more = "") {
    environment = {{"HONE_COMPILER_PROGRAM", "/bin/false"}, {"HONE_RUNNER_PROGRAM", HONE_RUNNER}};
    return Shell("cp '" HONE_PROGRAM "' hone-alone && ./hone-alone tune zoo:mlp --image-shape 1,14,14 --trials 4" +
                 more);
  }
};

TEST_F(NothingWorked, IsTheAnswerNoWithItsReason) {
  const ProgramResult r = TuneInVain();
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_THAT(r.out, HasSubstr("trials CompileFailed: "));
  EXPECT_THAT(r.err,
              HasSubstr("hone: no kernel of 3 tasks could be measured: 4 of 4 trials failed, as CompileFailed: "));
  EXPECT_THAT(r.err, Not(HasSubstr("next:")));
}

TEST_F(NothingWorked, IsInTheJsonOfEachTask) {
  const ProgramResult r = TuneInVain(" --json");
  EXPECT_EQ(r.code, 1);
  const Json done = ParseJson(r.out.substr(r.out.rfind('\n', r.out.size() - 2) + 1), "the last line");
  ASSERT_EQ(done.at("tasks").size(), 3U);
  for (const Json& task : done["tasks"]) EXPECT_EQ(task["failure"]["fate"], "CompileFailed");
}

}  // namespace
}  // namespace hone
