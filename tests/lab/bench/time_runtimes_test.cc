#include "lab/bench/time_runtimes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hone {
namespace {

// A runtime whose rounds take about this time, and vary by a permille.
RuntimeTimes Timed(const std::string& name, const std::string& precision, int64_t ns, int rounds = 10) {
  RuntimeTimes runtime;
  runtime.timed.path = name;
  runtime.precision = precision;
  for (int i = 0; i < rounds; ++i) {
    const int64_t round_ns = ns + (i * 7 % 10) * ns / 10'000;
    runtime.timed.rounds.push_back({round_ns, round_ns, 10});
    runtime.timed.samples_ns.push_back(round_ns);
  }
  return runtime;
}

std::vector<std::string> VerdictsOn(std::vector<RuntimeTimes> runtimes) {
  MarkFastest(runtimes, 0.02);
  std::vector<std::string> verdicts;
  for (const RuntimeTimes& each : runtimes) verdicts.push_back(RuntimeVerdict(each));
  return verdicts;
}

TEST(TimeRuntimes, MarkTheFastestIfEachOtherIsSlower) {
  EXPECT_THAT(VerdictsOn({Timed("a", "float32", 2'000'000), Timed("b", "float32", 1'000'000)}),
              testing::ElementsAre("2.00x the time", "fastest"));
  EXPECT_THAT(VerdictsOn({Timed("a", "float32", 1'000'000), Timed("b", "float32", 1'000'100),
                          Timed("c", "float32", 3'000'000)}),
              testing::ElementsAre("", "equivalent", "3.00x the time"));
  EXPECT_THAT(VerdictsOn({Timed("a", "float32", 2'000'000, 7), Timed("b", "float32", 1'000'000, 7)}),
              testing::ElementsAre("cannot tell", ""));
  EXPECT_THAT(VerdictsOn({Timed("a", "float32", 1'000'000)}), testing::ElementsAre(""));
}

TEST(TimeRuntimes, MarkTheFastestOfEachPrecision) {
  EXPECT_THAT(VerdictsOn({Timed("a", "float32", 2'000'000), Timed("b", "bfloat16", 1'000'000),
                          Timed("c", "float32", 3'000'000)}),
              testing::ElementsAre("2.00x the time, fastest in float32", "fastest", "3.00x the time"));
  // One alone in its precision was compared with none.
  EXPECT_THAT(VerdictsOn({Timed("a", "float32", 2'000'000), Timed("b", "bfloat16", 1'000'000)}),
              testing::ElementsAre("2.00x the time", "fastest"));
}

TEST(TimeRuntimes, LeaveOutThoseThatWereNotTimed) {
  RuntimeTimes wrong;
  wrong.timed.path = "w 1.0";
  wrong.why_not = "output 0 differs";
  std::vector<RuntimeTimes> runtimes = {wrong, Timed("a", "float32", 2'000'000), Timed("b", "float32", 1'000'000)};
  MarkFastest(runtimes, 0.02);
  EXPECT_EQ(RuntimeVerdict(runtimes[0]), "not timed");
  EXPECT_THAT(RuntimesNotes(runtimes),
              testing::StartsWith("w 1.0: output 0 differs\nb is 2.00 times as fast as a (1.0"));
  EXPECT_TRUE(JudgeFirstRuntime(runtimes, 0.02).empty());
}

}  // namespace
}  // namespace hone
