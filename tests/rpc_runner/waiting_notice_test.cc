#include <gtest/gtest.h>

#include "core/error.h"
#include "rpc_runner/remote/tuner_leases.h"

namespace hone {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

Json Held(int64_t for_ns) { return Json::array({{{"label", "pi4-1"}, {"why", "held by ada"}, {"for_ns", for_ns}}}); }

TEST(WaitingNotice, SaysWhoHasWhatAndForHowLong) {
  EXPECT_EQ(BusyText(Json::array()), "");
  EXPECT_EQ(BusyText(Held(78'100'000'000)), "pi4-1 is held by ada for 79 s");
  EXPECT_EQ(BusyText(Held(600 * kSecond)), "pi4-1 is held by ada for 10 min");
  EXPECT_EQ(BusyText(Held(8000 * kSecond)), "pi4-1 is held by ada for 2 h");
  Json many = Held(kSecond);
  for (int i = 2; i < 6; ++i) many.push_back({{"label", "pi4-" + std::to_string(i)}, {"why", "drained"}});
  EXPECT_EQ(BusyText(many), "pi4-1 is held by ada for 1 s, pi4-2 is drained, pi4-3 is drained and 2 more are not free");
  EXPECT_THROW(BusyText(Json::array({{{"label", 7}}})), Error);
}

TEST(WaitingNotice, SaysItWhenItChangesAndEveryHalfMinute) {
  WaitingNotice notice;
  EXPECT_EQ(notice.Next(Held(79 * kSecond), 0), "pi4-1 is held by ada for 79 s");
  for (int64_t s = 1; s < 30; ++s) EXPECT_EQ(notice.Next(Held((79 - s) * kSecond), s * kSecond), "") << s;
  EXPECT_EQ(notice.Next(Held(49 * kSecond), 30 * kSecond), "pi4-1 is held by ada for 49 s");
  const Json drained = Json::array({{{"label", "pi4-1"}, {"why", "drained"}}});
  EXPECT_EQ(notice.Next(drained, 31 * kSecond), "pi4-1 is drained");
  notice.Reset();
  EXPECT_EQ(notice.Next(drained, 32 * kSecond), "pi4-1 is drained");
}

}  // namespace
}  // namespace hone
