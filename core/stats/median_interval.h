// The median of a sample with its confidence interval.
#pragma once

#include <cstdint>
#include <vector>

namespace hone {

struct MedianInterval {
  int64_t median = 0;  // the upper one of an even number
  // A 95 % confidence interval of the median from order statistics; no distribution is assumed (Hoefler and Belli,
  // "Scientific Benchmarking of Parallel Computing Systems", 2015, section 3.1.3). For fewer than 6 samples it is the
  // whole range.
  int64_t low = 0, high = 0;
};
// All zero for an empty sample.
MedianInterval MedianOf(std::vector<int64_t> samples);

}  // namespace hone
