#include "bench/tuner/bounds.h"

#include <gtest/gtest.h>

#include <sstream>

#include "bench/tuner/verdict.h"
#include "core/error.h"

namespace hone::bench {
namespace {

Bounds Read(const std::string& text) {
  std::istringstream page(text);
  return ReadBounds(page);
}

TEST(Bounds, AreTheTableUnderTheHeading) {
  const Bounds bounds = Read(
      "# Page\n| not | 1 | this |\n\n## Bounds\n\n| row | reached | bound |\n| --- | --- | --- |\n"
      "| a row: with words | 12.5 | the memory, 52 GB/s |\n\n## After\n| nor | 2 | that |\n");
  ASSERT_EQ(bounds.size(), 1U);
  EXPECT_EQ(bounds.at("a row: with words").reached, 12.5);
  EXPECT_EQ(bounds.at("a row: with words").what, "the memory, 52 GB/s");
}

TEST(Bounds, KnowARowThatIsWrittenAsCode) {
  const Bounds bounds = Read("## Bounds\n| `a, hot` | 92.6 | the `b` of `c` |\n");
  ASSERT_TRUE(bounds.contains("a, hot"));
  EXPECT_EQ(bounds.at("a, hot").what, "the `b` of `c`");
}

TEST(Bounds, ARowThatExcusesNothingIsRefused) {
  for (const char* row : {"| a | 1 |", "| a | fast | memory |", "| a | 1 | |", "| a | | memory |"}) {
    EXPECT_THROW(Read(std::string("## Bounds\n") + row + "\n"), Error) << row;
  }
}

TEST(Verdicts, AMissWithoutABoundFails) {
  Verdicts verdicts;
  verdicts.AtMost("a", 1, 1);
  verdicts.AtLeast("b", 1, 2);
  EXPECT_TRUE(verdicts.all_met());
  verdicts.AtMost("c", 1, 1.5);
  EXPECT_FALSE(verdicts.all_met());
}

TEST(Verdicts, ABoundExcusesItsRowAsFarAsItGoes) {
  const Bounds bounds{{"slow", {1.5, "memory"}}, {"fast", {0.5, "memory"}}};
  Verdicts excused(bounds);
  excused.AtMost("slow", 1, 1.6);
  excused.AtLeast("fast", 1, 0.46);
  EXPECT_TRUE(excused.all_met());
  Verdicts slower(bounds), other(bounds);
  slower.AtMost("slow", 1, 1.7);
  other.AtLeast("other", 1, 0.99);
  EXPECT_FALSE(slower.all_met());
  EXPECT_FALSE(other.all_met());
}

TEST(Verdicts, TheTuningPageCanBeRead) {
  EXPECT_NO_THROW(ReadBounds(std::string(HONE_SOURCE_DIR) + "/docs/why/tuning.md"));
}

}  // namespace
}  // namespace hone::bench
