// The distance between two samples with its confidence interval, without assuming a distribution.
#pragma once

#include <cstdint>
#include <vector>

namespace hone {

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
