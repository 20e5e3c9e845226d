#include "core/machine/required_features.h"

#include <algorithm>
#include <set>

#include "core/machine/cpu_feature_table.h"
#include "core/text/parse_number.h"

namespace hone {
namespace {

// Adds the feature that multiplies tiles, and those that it needs.
void AddTiles(FeatureRole role, std::vector<std::string>& features) {
  const auto rows = CpuFeatureTable();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const CpuFeature& f) { return f.role == role; });
  features.emplace_back(row->name);
  for (const std::string_view needed : Split(row->needs, ' ')) features.emplace_back(needed);
}

// The features that the element types need beyond those of the machine's row.
std::vector<std::string> FeaturesForTypes(const MachineModel& machine, const ElementTypes& types) {
  std::vector<std::string> features;
  if (types.accumulator == DType::kInt32 && !machine.byte_dots_feature.empty())
    features.push_back(machine.byte_dots_feature);
  if (types.whole() && machine.byte_tiles) AddTiles(FeatureRole::kByteTiles, features);
  // Packed weights with rows of bytes: tiles multiply many rows as bfloat16.
  const bool rounds = types.weight == DType::kInt32 && types.accumulator == DType::kInt32 && machine.bfloat16_tiles;
  const bool narrow = types.data == DType::kBFloat16 || types.output == DType::kBFloat16 || rounds;
  if (narrow && !machine.bfloat_dots_feature.empty()) features.push_back(machine.bfloat_dots_feature);
  const std::string& half_loads = machine.half_loads_feature;
  if (types == kHalfWeights && !half_loads.empty()) features.push_back(half_loads);
  if (rounds || (types.bfloat() && machine.bfloat16_tiles)) AddTiles(FeatureRole::kBFloatTiles, features);
  return features;
}

// Attention is no workload but has products. They are of bfloat16 if its first operand is.
bool IsBFloatAttention(const Plan& plan, const PlanCall& call) {
  if (call.op != kAttentionName || call.operands.empty()) return false;
  return plan.buffers.at(static_cast<size_t>(call.operands[0].buffer)).dtype == DType::kBFloat16;
}

}  // namespace

std::vector<std::string> RequiredFeatures(const MachineModel& machine, const ElementTypes& types) {
  std::vector<std::string> features = machine.required_features;
  const std::vector<std::string> more = FeaturesForTypes(machine, types);
  features.insert(features.end(), more.begin(), more.end());
  return features;
}

std::vector<std::string> RequiredFeatures(const Plan& plan) {
  const MachineModel machine = MachineModelFor(plan.target);
  std::set<std::string> more;
  for (const PlanKernel& kernel : plan.kernels) {
    const std::string& workload = kernel.dispatch.workload;
    if (workload.empty()) continue;
    const std::vector<std::string> needed = FeaturesForTypes(machine, Workload::Parse(workload).types);
    more.insert(needed.begin(), needed.end());
  }
  for (const PlanCall& call : plan.calls) {
    if (!IsBFloatAttention(plan, call)) continue;
    const std::vector<std::string> needed =
        FeaturesForTypes(machine, FloatTypes(DType::kBFloat16, DType::kBFloat16, DType::kFloat32));
    more.insert(needed.begin(), needed.end());
  }
  const auto is_half = [](const PlanBuffer& buffer) { return buffer.dtype == DType::kFloat16; };
  // Kernels convert elements by the instruction wherever the machine has it.
  if (std::ranges::any_of(plan.buffers, is_half) && !machine.half_loads_feature.empty()) {
    more.insert(machine.half_loads_feature);
  }
  std::vector<std::string> features = machine.required_features;
  features.insert(features.end(), more.begin(), more.end());
  return features;
}

}  // namespace hone
