// The rate at which a kernel moves bytes that it uses again and again.
#pragma once

#include "core/machine/target.h"

namespace hone {

// Bytes per cycle of one core in passes over `footprint` bytes. They come from the nearest level of which they fill
// less than `share`.
inline double MovedBytesPerCycle(const MachineModel& machine, double footprint, double share) {
  const LevelRates& rates = machine.moved_bytes_per_cycle;
  if (footprint < share * static_cast<double>(machine.l1_bytes)) return rates.l1;
  if (footprint < share * static_cast<double>(machine.l2_bytes)) return rates.l2;
  return footprint < share * static_cast<double>(machine.l3_bytes) ? rates.l3 : rates.memory;
}

}  // namespace hone
