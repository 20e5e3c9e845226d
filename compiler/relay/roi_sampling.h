// What the reference and the kernel of vision.roi_align agree on beyond the operator's text.
#pragma once

#include <cstdint>

namespace hone::relay {

// Samples of a bin along each axis at most: regions are data, and a run must end.
inline constexpr int64_t kMostRoiSamples = 1024;

}  // namespace hone::relay
