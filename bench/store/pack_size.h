// How large the pack is that holds twelve networks' best records.
#pragma once

#include <cstdint>

#include "core/target.h"

namespace hone::bench {

inline constexpr int kPackedNetworks = 12;

// The bytes of a pack of one record for each task of kPackedNetworks networks of the zoo, tuned for `target` at 1 and
// at 2 threads. The records are made up, and as large as tuning makes them: samples, hashes and errors that no
// compressor foresees.
int64_t PackBytes(const Target& target);

}  // namespace hone::bench
