#include "bench/kernels/layer_class.h"

namespace hone::bench {

LayerClass ClassOf(const Workload& workload, std::string_view schedule) {
  if (!workload.is_conv() || workload.dilation != std::array<int64_t, 2>{1, 1}) return LayerClass::kOther;
  const bool unit = workload.strides == std::array<int64_t, 2>{1, 1};
  if (schedule == "conv2d_depthwise") return unit ? LayerClass::kDepthwise : LayerClass::kDepthwiseStrided;
  if (schedule != "conv2d_direct" || workload.groups != 1 || !unit) return LayerClass::kOther;
  if (workload.weight[2] == 3 && workload.weight[3] == 3 && workload.data[1] >= 16) return LayerClass::kDirect3x3;
  return workload.weight[2] == 1 && workload.weight[3] == 1 ? LayerClass::kDirect1x1 : LayerClass::kOther;
}

std::string ClassName(LayerClass layer) {
  switch (layer) {
    case LayerClass::kDirect3x3:
      return "direct 3x3 s1";
    case LayerClass::kDirect1x1:
      return "direct 1x1 s1";
    case LayerClass::kDepthwise:
      return "depthwise s1";
    case LayerClass::kDepthwiseStrided:
      return "depthwise s2";
    case LayerClass::kOther:
      break;
  }
  return "other";
}

bool BoundByMemory(LayerClass layer) {
  return layer == LayerClass::kDepthwise || layer == LayerClass::kDepthwiseStrided;
}

ClassGoals GoalsOf(LayerClass layer, const MachineModel& machine) {
  if (layer == LayerClass::kOther) return {};
  if (machine.name == "avx2") return {BoundByMemory(layer) ? 0.0 : 90.0, 0};
  if (machine.name != "avx512") return {};
  if (layer == LayerClass::kDepthwise) return {65, 0};
  if (layer == LayerClass::kDepthwiseStrided) return {80, 0};
  return {95, 90};
}

ClassGoals ByteGoalsOf(LayerClass layer) {
  return {layer == LayerClass::kDirect3x3 || layer == LayerClass::kDirect1x1 ? 85.0 : 0.0, 0};
}

}  // namespace hone::bench
