#include "lab/bench/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "core/random.h"

namespace hone {
namespace {

using Times = std::vector<int64_t>;

// Ten rounds around `ns`; `other` seeds their disturbances.
Times Rounds(int64_t ns, uint64_t other = 0) {
  Random random(other);
  Times times;
  for (int i = 0; i < 10; ++i) times.push_back(ns + static_cast<int64_t>(random.Below(1000)) - 500);
  return times;
}

TEST(Verdict, OfPairsSeesWhatIsSlowerAndWhatIsFaster) {
  const Verdict slower = JudgePairs(Rounds(1'030'000, 1), Rounds(1'000'000, 2), 0.02);
  EXPECT_EQ(slower.finding, Finding::kSlower);
  EXPECT_NEAR(slower.ratio, 1.03, 0.001);
  EXPECT_GT(slower.low, 1.028);
  EXPECT_LT(slower.high, 1.032);
  EXPECT_NEAR(slower.p, 2.0 / 1024, 1e-9);
  EXPECT_EQ(JudgePairs(Rounds(1'000'000, 1), Rounds(1'030'000, 2), 0.02).finding, Finding::kFaster);
}

TEST(Verdict, OfWhatDiffersLessThanMattersIsEquivalent) {
  EXPECT_EQ(JudgePairs(Rounds(1'005'000, 1), Rounds(1'000'000, 2), 0.02).finding, Finding::kEquivalent);
  EXPECT_EQ(JudgeSamples(Rounds(1'005'000, 1), Rounds(1'000'000, 2), 0.02).finding, Finding::kEquivalent);
  EXPECT_EQ(JudgePairs(Times(10, 1'000'000), Times(10, 1'000'000), 0.02).finding, Finding::kEquivalent);
}

TEST(Verdict, CannotTellInNoise) {
  const Times noisy = {1000, 1300, 900, 1500, 1100, 800, 1400, 1000, 1200, 950};
  const Times others = {1200, 1000, 1300, 900, 1400, 1000, 850, 1500, 1000, 1100};
  EXPECT_EQ(JudgePairs(noisy, others, 0.02).finding, Finding::kCannotTell);
  EXPECT_EQ(JudgeSamples(noisy, others, 0.02).finding, Finding::kCannotTell);
}

TEST(Verdict, CannotTellFromTooFewRounds) {
  const Times slow(7, 2000), fast(7, 1000);
  const Verdict few = JudgePairs(slow, fast, 0.02);
  EXPECT_EQ(few.finding, Finding::kCannotTell);
  EXPECT_THAT(VerdictText(few), testing::HasSubstr("from 7 rounds; at least 8"));
  EXPECT_EQ(JudgePairs(Times(kLeastPairs, 2000), Times(kLeastPairs, 1000), 0.02).finding, Finding::kSlower);
  EXPECT_EQ(JudgeSamples(Times(4, 2000), Times(4, 1000), 0.02).finding, Finding::kCannotTell);
  EXPECT_EQ(JudgeSamples(Times(kLeastSamples, 2000), Times(kLeastSamples, 1000), 0.02).finding, Finding::kSlower);
  EXPECT_EQ(JudgePairs({}, {}, 0.02).finding, Finding::kCannotTell);
}

// A disturbance of both rounds in a pair is not a difference between them.
TEST(Verdict, OfPairsIsNotMisledByWhatDisturbsBoth) {
  Times slow, fast;
  for (int i = 0; i < 10; ++i) {
    const int64_t neighbour = i % 3 == 0 ? 400'000 : i * 20'000;
    fast.push_back(1'000'000 + neighbour);
    slow.push_back((1'000'000 + neighbour) * 104 / 100 + i);
  }
  EXPECT_EQ(JudgePairs(slow, fast, 0.02).finding, Finding::kSlower);
  EXPECT_EQ(JudgeSamples(slow, fast, 0.02).finding, Finding::kCannotTell);
}

// Rounds of a package and its copy on two threads beside eight busy programs on two cores. Each has one run, which
// waits for other programs. All ratios lie on one side, and two of them far away.
TEST(Verdict, CannotTellWhenRoundsDifferMoreThanThePackages) {
  const Times first = {57'500, 41'000, 45'600, 41'900, 52'700, 37'500, 41'300, 45'800, 41'300, 49'800};
  const Times second = {2'900, 37'500, 41'800, 37'900, 49'600, 4'900, 40'700, 41'200, 37'200, 41'500};
  const Verdict verdict = JudgePairs(second, first, 0.02);
  EXPECT_LT(verdict.high, 1) << "ranks alone see a difference";
  EXPECT_EQ(verdict.finding, Finding::kCannotTell);
  EXPECT_EQ(JudgePairs(first, second, 0.02).finding, Finding::kCannotTell);
}

// Pairs of rounds of a package and its copy, recorded on a machine that was never quiet.
std::vector<std::pair<Times, Times>> RecordedRounds() {
  std::ifstream file(HONE_TEST_DATA "/bench/same_package.txt");
  std::vector<std::pair<Times, Times>> runs;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind('#', 0) == 0) continue;
    std::istringstream words(line);
    Times both;
    for (int64_t ns = 0; words >> ns;) both.push_back(ns);
    EXPECT_EQ(both.size(), 20U) << line;
    runs.emplace_back(Times(both.begin(), both.begin() + 10), Times(both.begin() + 10, both.end()));
  }
  return runs;
}

// The share of "slower" verdicts in 4,000 draws of ten recorded pairs. Either of a pair may be the package. It takes
// `more` times as long, and the noise is scaled by `share`.
double SaidSlower(double more, double share) {
  static const std::vector<std::pair<Times, Times>> runs = RecordedRounds();
  constexpr int kDraws = 4000;
  Random random(3);
  int slower = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const auto& [first, second] = runs.at(random.Below(runs.size()));
    Times package, against;
    for (int i = 0; i < 10; ++i) {
      const size_t round = random.Below(10);
      const bool swap = random.Below(2) == 1;
      const auto a = static_cast<double>(swap ? second[round] : first[round]);
      const auto b = static_cast<double>(swap ? first[round] : second[round]);
      package.push_back(std::llround(b * std::pow(a / b, share) * more));
      against.push_back(std::llround(b));
    }
    slower += JudgePairs(package, against, 0.02).finding == Finding::kSlower;
  }
  return static_cast<double>(slower) / kDraws;
}

TEST(Verdict, OnRecordedNoiseRaisesNoFalseAlarm) { EXPECT_LE(SaidSlower(1, 1), 0.01); }

TEST(Verdict, OnRecordedNoiseFindsASlowdown) {
  EXPECT_GE(SaidSlower(1.03, 1), 0.70);  // recorded with ten programs per core
  EXPECT_GE(SaidSlower(1.05, 1), 0.90);
  EXPECT_GE(SaidSlower(1.03, 0.25), 0.95);  // with a quarter of that noise
}

TEST(Verdict, IsWrittenWithAllItStandsOn) {
  Verdict v = JudgePairs(Rounds(1'030'000, 1), Rounds(1'000'000, 2), 0.02);
  v.package = "new.hone";
  v.against = "old.hone";
  EXPECT_THAT(VerdictText(v), testing::StartsWith("new.hone is slower than old.hone: 3.0"));
  const Json json = ToJson(v);
  for (const char* field : {"package", "against", "verdict", "ratio", "interval", "confidence", "p", "test",
                            "smallest_effect", "rounds", "text"})
    EXPECT_TRUE(json.contains(field)) << field;
  EXPECT_EQ(json["verdict"], "slower");
  EXPECT_EQ(json["rounds"], 10);
}

}  // namespace
}  // namespace hone
