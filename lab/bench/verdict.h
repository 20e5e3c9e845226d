// Judges whether one package is faster than another, and whether the times suffice to tell.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/serialize.h"

namespace hone {

// Least number of rounds for a verdict at kConfidence, by pairs and against a baseline.
inline constexpr int kLeastPairs = 8;
inline constexpr int kLeastSamples = 5;
// Confidence of the interval: 1 verdict in 100 between equal packages may see a difference, which is no alarm yet.
inline constexpr double kConfidence = 0.99;
// The least difference, in standard deviations of the pairs' ratios. Ten pairs with a normal spread are told apart only
// from about one deviation on anyway.
inline constexpr double kLeastOfSpread = 0.5;

enum class Finding : uint8_t { kFaster, kSlower, kEquivalent, kCannotTell };
// "faster", "slower", "equivalent" or "cannot tell".
std::string_view FindingName(Finding finding);

// The verdict on one package against another; `ratio` is its time over the other's.
struct Verdict {
  std::string package, against;
  Finding finding = Finding::kCannotTell;
  double ratio = 1, low = 1, high = 1;  // Hodges-Lehmann estimate, and its interval at kConfidence
  double p = 1;                         // p-value of no difference
  std::string test;                     // "signed-rank" or "rank-sum"
  double smallest_effect = 0.02;        // least share at which a difference matters
  int rounds = 0;                       // the smaller number of the two
  double spread = 0;                    // standard deviation of the logarithms of the pairs' ratios; 0: no pairs
  bool enough = false;                  // whether the rounds sufficed for the interval
};

// Judges from times of rounds in ns, all greater than 0:
// - kSlower: the interval lies above 1 and the estimate is at least 1 + smallest_effect.
// - kFaster: the interval lies below 1 and the estimate is at most 1 / (1 + smallest_effect).
// - kEquivalent: the interval lies within the smallest effect on both sides.
// - kCannotTell: anything else, and always with too few rounds.
//
// The i-th rounds of both were taken at the same time, so a disturbance affects both. A difference must also be at
// least kLeastOfSpread times the spread, because ranks ignore how far a few ratios lie from the others.
Verdict JudgePairs(const std::vector<int64_t>& package_ns, const std::vector<int64_t>& against_ns,
                   double smallest_effect);
// Judges rounds that were taken at different times.
Verdict JudgeSamples(const std::vector<int64_t>& package_ns, const std::vector<int64_t>& against_ns,
                     double smallest_effect);

// "new.hone is slower than old.hone: 3.1 % (99% interval 2.6 .. 3.5 %, p 0.002)".
std::string VerdictText(const Verdict& verdict);
// docs/reference/formats.md, "Bench result".
Json ToJson(const Verdict& verdict);

}  // namespace hone
