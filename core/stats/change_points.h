// Finds where a series of times changes its level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hone {

struct ChangePoint {
  size_t at = 0;                 // index of the new level's first value
  double p = 1;                  // probability of so uneven a split if the order of the values were random
  double before = 0, after = 0;  // medians of the levels on both sides, up to the next change points
};

// Change points in order; none for fewer than 8 values. The method is E-divisive. It splits the series where the two
// parts are furthest apart by the energy distance (exponent 1), and then splits the parts. It goes on while a
// permutation test of 199 permutations within a part gives a p of at most `most_p`. Levels have at least 3 values. No
// distribution is assumed. The random seed is fixed, so the same values give the same change points. The time grows
// with the square of the number of values.
//
// Source: D. S. James and D. S. Matteson, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate
// Data", Journal of the American Statistical Association 109, 2014, sections 2 and 3. Used for benchmarks by M. Fleming
// et al., "Hunter: Using Change Point Detection to Hunt for Performance Regressions", ICPE 2023.
std::vector<ChangePoint> ChangePoints(const std::vector<double>& values, double most_p);

}  // namespace hone
