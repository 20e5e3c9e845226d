// Statistics of samples, by ranks and order: no distribution is assumed. Medians and shifts come with their confidence
// intervals, and tests say whether one of two samples tends to be smaller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hone {

// The Mann-Whitney test (H. B. Mann and D. R. Whitney, "On a Test of Whether one of Two Random Variables is
// Stochastically Larger than the Other", Annals of Mathematical Statistics 18, 1947).
struct RankTest {
  double u = 0;  // pairs in which a's value is the smaller one; a tie counts half
  double p = 1;  // two-sided: the probability of ranks at least this uneven if both samples are alike
};

// Exact, by counting arrangements, if no value occurs twice and neither sample has more than 25. Otherwise the normal
// approximation with correction for ties and continuity. p is 1 when a sample is empty or all values are equal.
RankTest MannWhitney(const std::vector<int64_t>& a, const std::vector<int64_t>& b);

// The number of arrangements of n and m values that have each u, from 0 to n * m.
std::vector<double> ArrangementsByU(size_t n, size_t m);

struct MedianInterval {
  int64_t median = 0;  // the upper one of an even number
  // A 95 % confidence interval of the median from order statistics (Hoefler and Belli,
  // "Scientific Benchmarking of Parallel Computing Systems", 2015, section 3.1.3). For fewer than 6 samples it is the
  // whole range.
  int64_t low = 0, high = 0;
};
// All zero for an empty sample.
MedianInterval MedianOf(std::vector<int64_t> samples);

// Hodges and Lehmann's estimate of a shift and its distribution-free interval (M. Hollander and D. A. Wolfe,
// "Nonparametric Statistical Methods", 2nd edition, 1999, sections 3.2, 3.3, 4.2 and 4.3).
struct Shift {
  double value = 0;
  // The interval holds the shift with at least the requested confidence.
  double low = 0, high = 0;
  // Whether there were enough values for that confidence. If not, the interval is the whole range.
  bool bounded = false;
};

// The shift of paired differences: the median of the means of all pairs, each with itself included. Zeros for none.
Shift ShiftOfPairs(const std::vector<double>& differences, double confidence);

// The amount by which b's values are larger than a's: the median of all differences. Zeros when one is empty.
Shift ShiftOfSamples(const std::vector<double>& a, const std::vector<double>& b, double confidence);

// The p-value of Wilcoxon's signed-rank test, two-sided: the probability of ranks this uneven if positive and negative
// differences are equally probable (F. Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1,
// 1945). Exact also with ties, which get the mean of their ranks. Zeros are left out; 1 when no difference remains.
double SignedRankP(const std::vector<double>& differences);

}  // namespace hone
