#include <gtest/gtest.h>

#include "lab/text/print.h"

namespace hone {
namespace {

TEST(Verdicts, AreColouredWhereTheyJudge) {
  EXPECT_EQ(WithColours("b is slower than a"), "b is \033[31mslower\033[0m than a");
  EXPECT_EQ(WithColours("out  DIFFERS\nfaster  2 us\n"), "out  \033[31mDIFFERS\033[0m\n\033[32mfaster\033[0m  2 us\n");
}

TEST(Verdicts, AreNoCountsPercentagesOrNames) {
  for (const char* text :
       {"2 new, 1 faster, 0 slower, 4 same", "0.1 % slower (p 0.700): cannot tell", "slower.hone x"}) {
    EXPECT_EQ(WithColours(text), text);
  }
}

// A pipe, as here, gets plain text, and control characters in foreign text are removed for terminals.
TEST(Verdicts, ArePlainWithoutATerminal) {
  testing::internal::CaptureStdout();
  PrintVerdicts("a\033[2J is slower than b\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout().find('\033'), std::string::npos);
}

}  // namespace
}  // namespace hone
