// Where a series of times changes its level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hone {

struct ChangePoint {
  size_t at = 0;                 // the first value of the new level
  double p = 1;                  // how probable a split so uneven is, were the order of the values chance
  double before = 0, after = 0;  // medians of the levels on both sides, up to the next change points
};

// In their order; none of fewer than 8 values. E-divisive: the split of the series that lies furthest apart by the
// energy distance (exponent 1), then those of its parts, each as long as a permutation test of 199 permutations within
// the part finds it with p of at most `most_p`. Levels have 3 values at least. No distribution is assumed. Chance has a
// fixed seed: the same values give the same change points. (D. S. James and D. S. Matteson, "A Nonparametric Approach
// for Multiple Change Point Analysis of Multivariate Data", Journal of the American Statistical Association 109, 2014,
// sections 2 and 3; used for benchmarks by M. Fleming et al., "Hunter: Using Change Point Detection to Hunt for
// Performance Regressions", ICPE 2023.) The time grows with the square of the number of values.
std::vector<ChangePoint> ChangePoints(const std::vector<double>& values, double most_p);

}  // namespace hone
