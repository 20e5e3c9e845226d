// Text from outside, as a terminal may show it.
#include "core/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace hone {
namespace {

TEST(Printable, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(Printable(""), "");
  EXPECT_EQ(Printable("conv1/W:0 \"x\" \\ größe 畳 \U0001F600"), "conv1/W:0 \"x\" \\ größe 畳 \U0001F600");
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(Printable("\033[31mred\a\177"), "\\u001b[31mred\\u0007\\u007f");
  EXPECT_EQ(Printable(std::string_view("a\0b", 3)), "a\\u0000b");
  // CSI as one character: two bytes of UTF-8, and alone a byte that is no text.
  EXPECT_EQ(Printable("\xC2\x9B"
                      "2J"),
            "\\u009b2J");
  EXPECT_EQ(Printable("\x9B"
                      "2J"),
            "\uFFFD2J");
}

TEST(Printable, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(Printable("a\xFF"
                      "b\xC3"),
            "a\uFFFDb\uFFFD");
  EXPECT_EQ(Printable("\xE7\x95"), "\uFFFD\uFFFD") << "a character that is cut";
}

TEST(Printable, IsOneLineUnlessLinesAreAskedFor) {
  EXPECT_EQ(Printable("a\nb\tc\rd"), "a b c d");
  EXPECT_EQ(PrintableLines("a\nb\tc\rd"), "a\nb\tc d");
}

TEST(Shortened, KeepsBothEndsOfWhatIsLong) {
  EXPECT_EQ(Shortened("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(Shortened("abcdefghijkl", 8), "abcdef ... (4 bytes left out) ... kl");
}

TEST(ErrorLine, IsALineOfFewRows) {
  EXPECT_EQ(ErrorLine("hone", "no \033file\n"), "hone: no \\u001bfile \n");
  const std::string line = ErrorLine("hone", "the name " + std::string(10'000'000, 'x') + " is too long");
  EXPECT_LT(line.size(), 3000U);
  EXPECT_TRUE(line.ends_with("is too long\n"));
}

}  // namespace
}  // namespace hone
