#include "core/text/parse_number.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(ParseNumber, TakesAllOfTheTextOrNothing) {
  EXPECT_EQ(ParseInteger("-9223372036854775808"), INT64_MIN);
  for (const char* text : {"", " 1", "1 ", "+1", "0x10", "1.0", "9223372036854775808", "--1"}) {
    EXPECT_FALSE(ParseInteger(text)) << text;
  }
}

TEST(ParseNumber, RefusesFloatsThatAreNotFinite) {
  EXPECT_EQ(ParseFloat("-0.5"), -0.5F);
  for (const char* text : {"", "nan", "inf", "-inf", "1e99", "1,5"}) EXPECT_FALSE(ParseFloat(text)) << text;
}

TEST(ParseNumber, SplitKeepsEmptyParts) {
  EXPECT_EQ(Split("", ',').size(), 1U);
  EXPECT_EQ(Split("a,,b,", ','), (std::vector<std::string_view>{"a", "", "b", ""}));
}

}  // namespace
}  // namespace hone
