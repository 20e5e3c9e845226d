// Text from outside, made safe to show on a terminal.
#include "core/text/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace hone {
namespace {

TEST(Counted, HasTheNounsPlural) {
  EXPECT_EQ(Counted(1, "thread"), "1 thread");
  EXPECT_EQ(Counted(0, "thread"), "0 threads");
  EXPECT_EQ(Counted(size_t{2}, "foreign trial"), "2 foreign trials");
}

TEST(Printable, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(Printable(""), "");
  EXPECT_EQ(Printable("conv1/W:0 \"x\" \\ größe 畳 \U0001F600"), "conv1/W:0 \"x\" \\ größe 畳 \U0001F600");
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(Printable("\033[31mred\a\177"), "\\u001b[31mred\\u0007\\u007f");
  EXPECT_EQ(Printable(std::string_view("a\0b", 3)), "a\\u0000b");
  // CSI as one character, in two bytes of UTF-8, and as a single byte that is not UTF-8.
  EXPECT_EQ(Printable("\xC2\x9B"
                      "2J"),
            "\\u009b2J");
  EXPECT_EQ(Printable("\x9B"
                      "2J"),
            "\uFFFD2J");
}

TEST(Printable, EscapesWhatMakesATextReadAsAnother) {
  EXPECT_EQ(Printable("gpj\u202Eexe"), "gpj\\u202eexe") << "right to left";
  EXPECT_EQ(Printable("a\u2028b\u2029c\u0085d"), "a\\u2028b\\u2029c\\u0085d") << "lines";
  for (const char* hidden :
       {"\u00AD", "\u034F", "\u061C", "\u115F", "\u180E",     "\u200B",     "\u200D",    "\u200E", "\u200F",
        "\u202A", "\u202D", "\u2060", "\u2066", "\u2067",     "\u2068",     "\u2069",    "\u206F", "\u3164",
        "\uFE0F", "\uFEFF", "\uFFA0", "\uFFF9", "\U0001D173", "\U000E0041", "\U000E0100"}) {
    EXPECT_TRUE(Printable(hidden).starts_with("\\u")) << Printable(hidden);
    EXPECT_TRUE(PrintableLines(hidden).starts_with("\\u")) << Printable(hidden);
  }
  EXPECT_EQ(Printable("\U000E0041"), "\\udb40\\udc41") << "as JSON has it";
  // Neighbouring letters and signs are kept.
  EXPECT_EQ(Printable("\u2027\u202F\u00A0\u00AE\u0606\u3165\uFFFD"), "\u2027\u202F\u00A0\u00AE\u0606\u3165\uFFFD");
}

// An overlong encoding of a control character.
TEST(Printable, HidesPasswordsOfAddresses) {
  EXPECT_EQ(Printable("'postgresql://ada:pw@db:1/d' is a store"), "'postgresql://ada:***@db:1/d' is a store");
  EXPECT_EQ(Printable("tcp://u:a/b@c@h:1 and http://v:x@h"), "tcp://u:***@h:1 and http://v:***@h");
  EXPECT_EQ(PrintableLines("db?user=u&PASSWORD=pw&sslpassword=pw\n"), "db?user=u&PASSWORD=***&sslpassword=***\n");
  for (const char* plain :
       {"tcp://lab:9190", "tcp://[::1]:1 of a@b", "https://x/@scope", "http://ada@h:80", "a://", "@"})
    EXPECT_EQ(Printable(plain), plain);
}

TEST(Printable, TakesNoLongFormOfACharacter) {
  EXPECT_EQ(Printable("\xE0\x80\x9B"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(Printable("\xF0\x80\x80\x9B"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(Printable("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "half a pair";
  EXPECT_EQ(Printable("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "beyond U+10FFFF";
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

TEST(ShellWord, IsReadBackByAShellAndIsOneLine) {
  EXPECT_EQ(ShellWord("a/b-1.onnx"), "a/b-1.onnx");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellWord("a\nnext: b'\\\t"), "$'a\\nnext: b\\'\\\\\\t'");
}

TEST(ErrorLine, IsALineOfFewRows) {
  EXPECT_EQ(ErrorLine("hone", "no \033file\n"), "hone: no \\u001bfile \n");
  const std::string line = ErrorLine("hone", "the name " + std::string(10'000'000, 'x') + " is too long");
  EXPECT_LT(line.size(), 3000U);
  EXPECT_TRUE(line.ends_with("is too long\n"));
}

}  // namespace
}  // namespace hone
