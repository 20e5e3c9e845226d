// The cycles of a kernel's inner loops, for estimates: rates of the cache levels, and reduction steps.
#pragma once

#include <algorithm>
#include <cstdint>

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

// Cycles of pixels x vectors multiply-adds that no dependency delays. `least` is the time of a step with few of them,
// in which fused multiply-adds wait for each other. Arithmetic and loads overlap. Shuffled broadcasts do not: they
// compete with a product and a sum, and take two instructions per pixel. Fitted to cold times of MobileNetV2's
// pointwise layers with SSE on a Zen 5 core: 0.74 cycles per multiply-add of one vector, 0.55 of eight.
inline double StepCycles(const MachineModel& machine, double pixels, double vectors, double least) {
  constexpr double kProductAndSum = 0.52, kBroadcast = 0.23, kFew = 2;
  if (machine.broadcast == Broadcast::kShuffled) {
    return std::max(kProductAndSum * pixels * vectors + kBroadcast * pixels, kFew);
  }
  return std::max(
      {pixels * vectors / machine.multiply_adds_per_cycle, (pixels + vectors) / machine.loads_per_cycle, least});
}

// Cycles per step to reload the pointers of `rows` rows. Each row of the tile has its own, and the general registers
// may not hold them all. On a Zen 5 core, 196 x 384 by 384 x 1536 takes 1.40 ms with 14 rows, 1.02 to 1.05 with 6
// to 11.
inline double PointerReloadCycles(const MachineModel& machine, double rows) {
  constexpr double kReload = 2;
  return kReload * std::max(0.0, rows - machine.address_registers);
}

// A reduction step of tile registers: `outputs` tiles of `width` rows by `channels` tiles of weights. An operand comes
// from the cache level that holds all bytes walked through before it is used again (`rows_walk`, `weights_walk`).
// `near` is the share of the rows that was used just before.
struct TileStep {
  double outputs, channels, width;
  double rows_walk, weights_walk;
  double near = 0;
};

// Cycles on a guest of the Sapphire or Granite Rapids class with one hardware thread per core. Fitted to 4,136
// convolutions, of ResNet-50 and GoogLeNet in bfloat16 and of ResNet-50 and MobileNetV2 in bytes: 10 % off on average.
inline double TileStepCycles(const MachineModel& machine, const TileStep& step) {
  constexpr double kProductRow = 1.0, kLeastProduct = 8;  // per row of a product's sums, and at least per product
  constexpr double kTileLoad = 9;                         // of 16 rows or fewer
  constexpr double kOverlap = 0.2;                        // share of the lesser of both that is not hidden by the other
  constexpr double kRowBytes = 64, kTileBytes = 1024, kCacheShare = 1;
  const double products = step.outputs * step.channels * std::max(kProductRow * step.width, kLeastProduct);
  const double rate = MovedBytesPerCycle(machine, step.rows_walk, kCacheShare);
  const double near_rate = MovedBytesPerCycle(machine, 0, kCacheShare);
  const double rows = step.outputs * step.width * kRowBytes * ((1 - step.near) / rate + step.near / near_rate);
  const double weights = step.channels * kTileBytes / MovedBytesPerCycle(machine, step.weights_walk, kCacheShare);
  const double loads = std::max(kTileLoad * (step.outputs + step.channels), rows + weights);
  return std::max(products, loads) + kOverlap * std::min(products, loads);
}

// Further costs, fitted together with those of TileStepCycles.
inline constexpr double kTileStoreCycles = 7;       // per tile of sums
inline constexpr double kTileStartCycles = 40;      // per register tile, whose first loads wait
inline constexpr double kStageStartCycles = 300;    // to load the configuration and release the registers
inline constexpr double kFinishRowCycles = 2.2;     // per row of sums: addresses and the loop
inline constexpr double kFinishFloatCycles = 1.5;   // per vector: bias, activation, narrowing to bfloat16, store
inline constexpr double kFinishBytesCycles = 4.6;   // per vector: scaling, rounding, narrowing, store
inline constexpr double kFinishPackedCycles = 3.6;  // the same for several vectors together

// Rows of a matrix product; fewer leave most of a tile empty.
inline constexpr int64_t kLeastTileRows = 4;

}  // namespace hone
