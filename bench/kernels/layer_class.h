// The kinds of layer that have goals of their own.
#pragma once

#include <string>
#include <string_view>

#include "core/target.h"
#include "core/workload.h"

namespace hone::bench {

enum class LayerClass { kDirect3x3, kDirect1x1, kDepthwise, kDepthwiseStrided, kOther };

// What a layer of a workload is when `schedule` computes it. Winograd, grouped, dilated and dense layers, and direct
// ones with a stride or another kernel, are kOther.
LayerClass ClassOf(const Workload& workload, std::string_view schedule);
// "direct 3x3 s1", "direct 1x1 s1", "depthwise s1", "depthwise s2"; "other".
std::string ClassName(LayerClass layer);
// Whether the memory's share is what counts, and not the arithmetic's.
bool BoundByMemory(LayerClass layer);

// Per cent of the measured FMA peak, or of the measured copy bandwidth; 0: none.
struct ClassGoals {
  double hot = 0;
  double cold = 0;
};
ClassGoals GoalsOf(LayerClass layer, const MachineModel& machine);
// Of kernels of bytes, on machines that sum four products of bytes in one instruction: per cent of its peak.
ClassGoals ByteGoalsOf(LayerClass layer);

}  // namespace hone::bench
