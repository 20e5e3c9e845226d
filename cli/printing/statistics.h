// What is said of a sample of times. Times are never averaged: neighbours on the machine make means meaningless.
#pragma once

#include <cstdint>
#include <vector>

#include "core/median_interval.h"
#include "core/serialize.h"

namespace hone {

struct Statistics {
  int64_t min_ns = 0, p10_ns = 0, median_ns = 0, p90_ns = 0, p99_ns = 0;
  // MedianOf's 95 % confidence interval.
  int64_t median_low_ns = 0, median_high_ns = 0;
};
// All zero for an empty sample.
Statistics StatisticsOf(std::vector<int64_t> samples_ns);

// The values' arithmetic mean; there is at least one.
double Mean(const std::vector<double>& values);
// The standard deviation of what the values are a sample of; 0 for fewer than two.
double StandardDeviation(const std::vector<double>& values);

// {"median_ns", "ci95_ns": [low, high]}.
Json MedianJson(const MedianInterval& m);

}  // namespace hone
