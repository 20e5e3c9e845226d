// The classes of layers that have goals of their own.
#pragma once

#include <string>
#include <string_view>

#include "core/machine/target.h"
#include "core/workload.h"

namespace hone::bench {

enum class LayerClass { kDirect3x3, kDirect1x1, kDepthwise, kDepthwiseStrided, kOther };

// The class of a workload that `schedule` computes. Winograd, grouped, dilated and dense layers, and direct ones with a
// stride or another kernel size, are kOther.
LayerClass ClassOf(const Workload& workload, std::string_view schedule);
// One of "direct 3x3 s1", "direct 1x1 s1", "depthwise s1", "depthwise s2" and "other".
std::string ClassName(LayerClass layer);
// Whether the share of bandwidth counts, and not that of arithmetic.
bool BoundByMemory(LayerClass layer);

// Goals in percent of the measured FMA peak, or of the measured copy bandwidth; 0 if there is none.
struct ClassGoals {
  double hot = 0;
  double cold = 0;
};
ClassGoals GoalsOf(LayerClass layer, const MachineModel& machine);
// The goals of int8 kernels, on machines with an instruction that sums four byte products: percent of its peak.
ClassGoals ByteGoalsOf(LayerClass layer);

}  // namespace hone::bench
