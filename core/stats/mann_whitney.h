// Tests whether one of two samples tends to be smaller, without assuming a distribution.
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

}  // namespace hone
