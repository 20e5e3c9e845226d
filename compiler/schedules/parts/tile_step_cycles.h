// The cycles of tile registers: of one reduction step, and around the steps.
#pragma once

#include <algorithm>
#include <cstdint>

#include "compiler/schedules/parts/level_rate.h"

namespace hone {

// `outputs` tiles of `width` rows by `channels` tiles of weights. An operand comes from the cache level that holds all
// bytes walked through before it is used again (`rows_walk`, `weights_walk`). `near` is the share of the rows that was
// used just before.
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
