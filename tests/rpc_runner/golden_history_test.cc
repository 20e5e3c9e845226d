#include "rpc_runner/health/golden_history.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace hone {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(GoldenHistory, TakesTheUndisturbedTimeForTheUsualOne) {
  GoldenHistory history(1);
  for (int i = 0; i < 32; ++i) history.Add({i % 3 == 0 ? 1000 : 1500 + 40 * i}, i * kSecond);
  EXPECT_DOUBLE_EQ(history.Usual(0), 1000);
  EXPECT_DOUBLE_EQ(history.Limit(0), GoldenHistory::kLeastLimit);
  EXPECT_EQ(history.UsualNs(), 1000);
}

TEST(GoldenHistory, AllowsADeviceItsOwnSpread) {
  GoldenHistory history(2);
  for (int i = 0; i < 64; ++i) history.Add({1000, 1000 + 50 * (i / 8)}, i * kSecond);
  EXPECT_DOUBLE_EQ(history.Limit(0), GoldenHistory::kLeastLimit);
  EXPECT_GT(history.Limit(1), 1.1);
}

TEST(GoldenHistory, KeepsOneRunAMinuteOnceThereAreEnough) {
  GoldenHistory history(1);
  for (int i = 0; i < 40; ++i) history.Add({1000}, i * kSecond);
  EXPECT_EQ(history.size(), GoldenHistory::kEnough);
  for (int i = 1; i <= 1000; ++i) history.Add({1000 + i}, 40 * kSecond + i * GoldenHistory::kSpacingNs);
  EXPECT_EQ(history.size(), GoldenHistory::kMost);
  EXPECT_GT(history.Usual(0), 1700) << "the oldest are still there";
}

TEST(GoldenHistory, IsTheSameThroughJson) {
  GoldenHistory history(2);
  for (int i = 0; i < 40; ++i) history.Add({1000 + i % 5, 2000 + i % 7}, i * kSecond);
  const GoldenHistory back = GoldenHistory::FromJson(ParseJson(DumpJson(history.ToJson()), "history"));
  EXPECT_EQ(back, history);
  EXPECT_EQ(back.Usual(1), history.Usual(1));
}

TEST(GoldenHistory, RefusesATextThatIsNoHistory) {
  for (const char* text : {"{}", R"({"parts":1,"runs":7})", R"({"parts":0,"runs":[]})", R"({"parts":65,"runs":[]})",
                           R"({"parts":2,"runs":[[1]]})", R"({"parts":1,"runs":[[0]]})",
                           R"({"parts":1,"runs":[["a"]]})", R"({"parts":1,"runs":[7]})"}) {
    EXPECT_THROW(GoldenHistory::FromJson(ParseJson(text, "history")), Error) << text;
  }
}

}  // namespace
}  // namespace hone
