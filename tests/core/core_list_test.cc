#include <gtest/gtest.h>

#include "core/error.h"
#include "core/text/parse_number.h"

namespace hone {
namespace {

TEST(ParseCoreList, ReadsNumbersAndRanges) {
  EXPECT_EQ(ParseCoreList(""), std::vector<int>{});
  EXPECT_EQ(ParseCoreList("3"), std::vector<int>{3});
  EXPECT_EQ(ParseCoreList("0,2-4,9"), (std::vector<int>{0, 2, 3, 4, 9}));
}

TEST(ParseCoreList, RefusesTheRest) {
  for (const char* text : {",", "1,", "a", "1-", "4-2", "-1", "5000", "1;2", "99999999999"})
    EXPECT_THROW(ParseCoreList(text), Error) << text;
}

}  // namespace
}  // namespace hone
