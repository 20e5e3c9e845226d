#include "core/text/sum_of_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(SumOfNames, HasTheFactorOfEachName) {
  const auto sum = ParseSumOfNames("past + seq");
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->number, 0);
  EXPECT_THAT(sum->terms, ElementsAre(Pair("past", 1), Pair("seq", 1)));
  const auto scaled = ParseSumOfNames("2*height-s0 * 3 - 1+ 12");
  ASSERT_TRUE(scaled);
  EXPECT_EQ(scaled->number, 11);
  EXPECT_THAT(scaled->terms, ElementsAre(Pair("height", 2), Pair("s0", -3)));
  EXPECT_THAT(ParseSumOfNames("4*w")->terms, ElementsAre(Pair("w", 4)));
}

TEST(SumOfNames, IsNoNameAndNoOtherText) {
  for (const char* text : {"", "seq", " seq ", "7", "1 + 2", "past +", "+ past", "a * b", "2*3*h", "(a + b)",
                           "past seq", "floor(a) + 1", "a + 12345678901", "2x + 1", "unk__3"}) {
    EXPECT_FALSE(ParseSumOfNames(text)) << text;
  }
}

}  // namespace
}  // namespace hone
