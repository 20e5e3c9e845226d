// The blocks of channels that AMX kernels read without a copy.
#pragma once

#include <cstdint>

#include "core/machine/target.h"
#include "core/tensor.h"

namespace hone {

// Channels in one row of a tile register, if the machine multiplies such tiles: 64 of uint8, 32 of bfloat16. Other
// types and machines give 0.
inline int64_t TileRow(DType data, const MachineModel& machine) {
  constexpr int64_t kRowBytes = 64;
  const bool multiplied =
      (data == DType::kUInt8 && machine.byte_tiles) || (data == DType::kBFloat16 && machine.bfloat16_tiles);
  return multiplied ? kRowBytes / DTypeBytes(data) : 0;
}

}  // namespace hone
