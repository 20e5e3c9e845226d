// The bandwidth of the caches: the figure that shares of bandwidth refer to.
#pragma once

#include <cstdint>

#include "core/machine/target.h"

namespace hone::bench {

// The bytes that one core reads and writes per ns in a compiled loop of vector loads and stores. The loop repeatedly
// copies one half of `footprint_bytes` onto the other. The result is the best of `rounds` runs. The footprint decides
// which cache serves it.
double MeasureCopyBandwidth(const Target& target, int64_t footprint_bytes, int rounds = 40);

}  // namespace hone::bench
