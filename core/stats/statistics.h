// Statistics of a sample of times. Times are never averaged: neighbours on the machine make means meaningless.
#pragma once

#include <cstdint>
#include <vector>

namespace hone {

struct Statistics {
  int64_t min_ns = 0, p10_ns = 0, median_ns = 0, p90_ns = 0, p99_ns = 0;
  // MedianOf's 95 % confidence interval.
  int64_t median_low_ns = 0, median_high_ns = 0;
};
// Statistics of the samples; all zero if there are none.
Statistics StatisticsOf(std::vector<int64_t> samples_ns);

// The arithmetic mean of at least one value.
double Mean(const std::vector<double>& values);
// The standard deviation, estimated from a sample; 0 for fewer than two values.
double StandardDeviation(const std::vector<double>& values);

}  // namespace hone
