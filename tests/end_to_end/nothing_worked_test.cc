// A tuning run in which no kernel could be measured says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json/serialize.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

class NothingWorked : public ProgramTest {
 protected:
  // The compiler named here compiles nothing. It is found by name only where none lies beside the program.
  ProgramResult TuneInVain(const std::string& more = "") {
    environment = {{"HONE_COMPILER_PROGRAM", "/bin/false"}, {"HONE_RUNNER_PROGRAM", HONE_RUNNER}};
    return Shell("cp '" HONE_PROGRAM "' hone-alone && ./hone-alone tune zoo:mlp --image-shape 1,14,14 --trials 4" +
                 more);
  }
};

// A compiler that does not start is no verdict on the candidates.
TEST_F(NothingWorked, EndsWithItsReasonAndKeepsNoVerdict) {
  const ProgramResult r = TuneInVain();
  EXPECT_EQ(r.code, 69) << r.err;
  EXPECT_THAT(r.err, HasSubstr("4 trials in a row could not be judged: /bin/false: the compiler ended"));
  EXPECT_THAT(r.err, Not(HasSubstr("next:")));
}

}  // namespace
}  // namespace hone
