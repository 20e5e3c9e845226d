#include "lab/bench/other_runtime.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone {
namespace {

Verdict VerdictOn(double factor, int rounds) {
  std::vector<int64_t> hone_ns, other_ns;
  for (int i = 0; i < rounds; ++i) {
    other_ns.push_back(5'000'000 + 1000 * i);
    hone_ns.push_back(static_cast<int64_t>(static_cast<double>(other_ns.back()) * factor));
  }
  Verdict verdict = JudgePairs(hone_ns, other_ns, 0.02);
  verdict.against = "R 1.0";
  return verdict;
}

TEST(OtherRuntime, IsJudgedInOneLine) {
  EXPECT_EQ(TextAgainst(VerdictOn(0.5, 10), 2'500'000, 5'000'000, 3.2e-6),
            "hone is 2.00 times as fast as R 1.0 (2.500 ms against 5.000 ms, p 0.002), outputs agree within 3e-06");
  EXPECT_EQ(TextAgainst(VerdictOn(2, 10), 10'000'000, 5'000'000, 0),
            "hone is slower than R 1.0, which is 2.00 times as fast (10.000 ms against 5.000 ms, p 0.002), outputs are "
            "the same");
  EXPECT_EQ(TextAgainst(VerdictOn(1, 10), 5'000'000, 5'000'000, 0).substr(0, 43),
            "hone and R 1.0 are equivalent within 2 % (5");
  EXPECT_EQ(TextAgainst(VerdictOn(0.5, 3), 2'500'000, 5'000'000, 0),
            "cannot tell whether hone or R 1.0 is faster from 3 rounds; at least 8 are needed; outputs are the same");
}

}  // namespace
}  // namespace hone
