// The size of a pack with the best records of twelve networks.
#pragma once

#include <cstdint>

#include "core/machine/target.h"

namespace hone::bench {

inline constexpr int kPackedNetworks = 12;

// The bytes of a pack with one record for each task of kPackedNetworks zoo networks, tuned for `target` at 1 and at 2
// threads. The records are synthetic and as large as tuned ones, with samples, hashes and errors that do not compress.
int64_t PackBytes(const Target& target);

}  // namespace hone::bench
