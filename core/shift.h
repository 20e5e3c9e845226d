// How far one sample lies from another, with an interval, without assuming a distribution.
#pragma once

#include <cstdint>
#include <vector>

namespace hone {

// Hodges and Lehmann's estimate of a shift and the distribution-free interval that belongs to it (M. Hollander and D.
// A. Wolfe, "Nonparametric Statistical Methods", 2nd edition, 1999, sections 3.2, 3.3, 4.2 and 4.3).
struct Shift {
  double value = 0;
  // It lies here with at least the confidence that was asked for.
  double low = 0, high = 0;
  // Whether there were enough values for that confidence. When not, the interval is the whole range.
  bool bounded = false;
};

// Of paired differences: the median of the means of all pairs of them, each with itself too. Zeros for none.
Shift ShiftOfPairs(const std::vector<double>& differences, double confidence);

// How much larger b's values are than a's: the median of all differences. Zeros when one is empty.
Shift ShiftOfSamples(const std::vector<double>& a, const std::vector<double>& b, double confidence);

// Wilcoxon's signed-rank test, two-sided: how probable ranks so uneven are, were positive differences as probable as
// negative ones (F. Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1, 1945). Exact also
// with ties, which get the mean of their ranks. Zeros are left out; 1 when nothing is left.
double SignedRankP(const std::vector<double>& differences);

}  // namespace hone
