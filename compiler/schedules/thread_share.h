// What a static partition leaves to the worker with the most items.
#pragma once

#include <algorithm>
#include <cstdint>

#include "compiler/schedules/conv_shape.h"

namespace hone {

// The share of a stage's time that its slowest worker takes: 1 for one worker, 1 / threads when `items` (at least 1)
// divide evenly, more when they do not.
inline double ThreadShare(int64_t items, int threads) {
  return static_cast<double>(CeilDiv(items, std::max(threads, 1))) / static_cast<double>(items);
}

}  // namespace hone
