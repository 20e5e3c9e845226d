#include "db/line_reader.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace hone {
namespace {

std::vector<std::string> LinesOf(const std::string& text, size_t max_bytes = 100) {
  std::istringstream in(text);
  LineReader reader(in, max_bytes);
  std::vector<std::string> lines;
  while (reader.Next()) {
    lines.push_back(std::to_string(reader.number()) + (reader.too_long() ? "!" : ":") + reader.line());
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReader, TakesEveryEndOfLine) {
  EXPECT_EQ(LinesOf("a\nb\r\nc"), (Lines{"1:a", "2:b", "3:c"}));
  EXPECT_EQ(LinesOf("a\n"), (Lines{"1:a"}));
  EXPECT_EQ(LinesOf(""), Lines{});
}

TEST(LineReader, PassesOverEmptyLinesAndAByteOrderMark) {
  EXPECT_EQ(LinesOf("\xEF\xBB\xBF"
                    "a\n\n\r\nb\n"),
            (Lines{"1:a", "4:b"}));
}

TEST(LineReader, CutsLongLinesAndContinues) {
  EXPECT_EQ(LinesOf("abcd\nabcde\nab", 4), (Lines{"1:abcd", "2!abcd", "3:ab"}));
}

TEST(LineReader, KeepsBytesThatAreNotText) {
  EXPECT_EQ(LinesOf(std::string("\0\xff\n", 3)), (Lines{std::string("1:\0\xff", 4)}));
}

}  // namespace
}  // namespace hone
