#include "lab/text/status_line.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(StatusLine, CutsToTheColumns) {
  EXPECT_EQ(CutTo("round 3", 7), "round 3");
  EXPECT_EQ(CutTo("round 3", 6), "round~");
  EXPECT_EQ(CutTo("round 3", 1), "~");
  EXPECT_EQ(CutTo("round 3", 0), "");
  EXPECT_EQ(CutTo("", 5), "");
}

TEST(StatusLine, CutsBetweenCharacters) {
  EXPECT_EQ(CutTo("Größe 12", 8), "Größe 12");
  EXPECT_EQ(CutTo("Größe 12", 5), "Größ~");
  EXPECT_EQ(CutTo("Größe 12", 3), "Gr~");
}

// In a window that was narrowed the line takes several rows: all of them are erased, and the rows above stay.
TEST(StatusLine, IsTakenAwayWithAllItsRows) {
  EXPECT_EQ(ErasingText(13, 80), "\r\033[K");
  EXPECT_EQ(ErasingText(13, 13), "\r\033[K");
  EXPECT_EQ(ErasingText(13, 12), "\r\033[1A\033[J");
  EXPECT_EQ(ErasingText(24, 8), "\r\033[2A\033[J");
  EXPECT_EQ(ErasingText(0, 8), "\r\033[K");
}

TEST(StatusLine, IsSilentWithoutATerminal) {
  testing::internal::CaptureStderr();
  {
    StatusLine line(false);
    line.Show("round 1");
    line.Keep();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(StatusLine, IsWrittenOverAndTakenAway) {
  testing::internal::CaptureStderr();
  {
    StatusLine line(true);
    line.Show("round 1");
    line.Show("a\nb\033[2J");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "\r\033[Kround 1\r\033[Ka b\\u001b[2J\r\033[K");
}

}  // namespace
}  // namespace hone
