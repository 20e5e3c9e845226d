// What the caches feed: the figure that shares of bandwidth are quoted against.
#pragma once

#include <cstdint>

#include "core/target.h"

namespace hone::bench {

// Bytes read and written per ns by one core in a compiled loop of vector loads and stores that copies one half of
// `footprint_bytes` onto the other, again and again: the best of `rounds` runs. The footprint decides which cache
// feeds it.
double MeasureCopyBandwidth(const Target& target, int64_t footprint_bytes, int rounds = 40);

}  // namespace hone::bench
