#include <gmock/gmock.h>

#include "core/text/parse_number.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Words, AreWhatBlanksPart) {
  EXPECT_THAT(Words("cpu0  12\t0 7\n"), ElementsAre("cpu0", "12", "0", "7"));
  EXPECT_THAT(Words("\tone"), ElementsAre("one"));
}

TEST(Words, OfBlanksAloneAreNone) {
  EXPECT_THAT(Words(""), IsEmpty());
  EXPECT_THAT(Words(" \t\n "), IsEmpty());
}

}  // namespace
}  // namespace hone
