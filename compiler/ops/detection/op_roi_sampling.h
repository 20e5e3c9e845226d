// A limit that the reference and the kernel of vision.roi_align share, beyond the operator's text.
#pragma once

#include <cstdint>

namespace hone::relay {

// Greatest number of samples of a bin along each axis: regions are data, and a run must end.
inline constexpr int64_t kMostRoiSamples = 1024;

}  // namespace hone::relay
