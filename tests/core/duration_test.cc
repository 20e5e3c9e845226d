#include <gtest/gtest.h>

#include "core/error.h"
#include "core/text/parse_number.h"

namespace hone {
namespace {

TEST(ParseDuration, ReadsEveryUnit) {
  EXPECT_EQ(ParseDuration("250ms"), 250'000'000);
  EXPECT_EQ(ParseDuration("90s"), 90'000'000'000);
  EXPECT_EQ(ParseDuration("10m"), 600'000'000'000);
  EXPECT_EQ(ParseDuration("2h"), 7'200'000'000'000);
}

TEST(ParseDuration, RefusesEverythingElse) {
  for (const char* text : {"", "s", "90", "0s", "-5m", "1.5h", "10 m", "10x", "99999999999h", "m10"}) {
    try {
      ParseDuration(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kUsage);
    }
  }
}

}  // namespace
}  // namespace hone
