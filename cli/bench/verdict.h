// Whether one package is faster than another, and whether that can be told.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/serialize.h"

namespace hone {

// Least number of rounds from which a verdict of kConfidence can be found, by pairs and against a baseline.
inline constexpr int kLeastPairs = 8;
inline constexpr int kLeastSamples = 5;
// Of the interval: 1 verdict in 100 between equal packages may see a difference, and that is not yet an alarm.
inline constexpr double kConfidence = 0.99;
// The least difference, in standard deviations of the pairs' ratios. Ten pairs with a normal spread are told apart from
// about one deviation on anyway.
inline constexpr double kLeastOfSpread = 0.5;

enum class Finding : uint8_t { kFaster, kSlower, kEquivalent, kCannotTell };
// "faster", "slower", "equivalent", "cannot tell".
std::string_view FindingName(Finding finding);

// Of one package against another; `ratio` is its time over the other's.
struct Verdict {
  std::string package, against;
  Finding finding = Finding::kCannotTell;
  double ratio = 1, low = 1, high = 1;  // Hodges and Lehmann's estimate, and its interval of kConfidence
  double p = 1;                         // of no difference
  std::string test;                     // "signed-rank" or "rank-sum"
  double smallest_effect = 0.02;        // the share from which on a difference matters
  int rounds = 0;                       // the fewer of the two
  double spread = 0;                    // the standard deviation of the logarithms of the pairs' ratios; 0: no pairs
  bool enough = false;                  // whether the rounds were enough for the interval
};

// Of times of rounds in ns, all greater than 0. kSlower: the interval lies above 1 and the estimate is at least 1 +
// smallest_effect; kFaster: the same the other way round; kEquivalent: the interval lies within the smallest effect on
// both sides; else kCannotTell, and always when there are too few rounds.
//
// The i-th rounds of both were taken at one time: what disturbed the one disturbed the other. A difference also is at
// least kLeastOfSpread times the spread: ranks do not see how far a few ratios lie from the others.
Verdict JudgePairs(const std::vector<int64_t>& package_ns, const std::vector<int64_t>& against_ns,
                   double smallest_effect);
// They were taken at different times.
Verdict JudgeSamples(const std::vector<int64_t>& package_ns, const std::vector<int64_t>& against_ns,
                     double smallest_effect);

// "new.hone is slower than old.hone: 3.1 % (99% interval 2.6 .. 3.5 %, p 0.002)".
std::string VerdictText(const Verdict& verdict);
// docs/formats.md, "Bench result".
Json ToJson(const Verdict& verdict);

}  // namespace hone
