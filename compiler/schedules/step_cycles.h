// What one reduction step of a register tile takes.
#pragma once

#include <algorithm>

#include "core/target.h"

namespace hone {

// Cycles of pixels x vectors multiply-adds that no dependency delays; `least` is what one step of few takes where
// fused multiply-adds wait for each other. Two multiply-adds and two loads a cycle. SSE has no multiply-add, and its
// instructions overwrite an operand: a product and a sum, and per pixel a broadcast in two instructions. Fitted to cold
// times of MobileNetV2's pointwise layers on a Zen 5 core: 0.74 cycles per multiply-add of one vector, 0.55 of eight.
inline double StepCycles(const MachineModel& machine, double pixels, double vectors, double least) {
  constexpr double kProductAndSum = 0.52, kBroadcast = 0.23, kFew = 2;
  if (machine.name == "sse4") return std::max(kProductAndSum * pixels * vectors + kBroadcast * pixels, kFew);
  return std::max({pixels * vectors / 2, (pixels + vectors) / 2, least});
}

}  // namespace hone
