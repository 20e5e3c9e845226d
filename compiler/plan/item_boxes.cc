#include "compiler/plan/item_boxes.h"

#include <algorithm>
#include <string_view>

#include "compiler/ops/attention/kernel.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/anchor_result.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"
#include "core/nth.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using relay::Function;

namespace {

// The call that the function's schedule computes; null for a kernel without one.
const Call* ScheduledCall(const Function& function) {
  const bool attention = AttentionOf(function) != nullptr;
  if (!attention && ChoiceOf(function) == nullptr) return nullptr;
  return AnchorCallIn(function, attention ? AttentionOf(function)->values : AnchorOf(function)->workload);
}

// The needed part of the output that a box computes, by the axes that the box names.
NeededAxes NeededOf(const Call& call, const Function& function, const StageBox& box, const NeededExtents& needed) {
  if (AttentionOf(function) != nullptr || ChoiceOf(function) != nullptr) {
    const Call* scheduled = ScheduledCall(function);
    return scheduled == nullptr ? NeededAxes() : needed.Within(call, *scheduled);
  }
  const relay::Tuple* tuple = relay::AsTuple(function.body);
  return tuple == nullptr ? needed.Within(call, *function.body, box.output)
                          : needed.Within(call, *Nth(tuple->fields, box.output));
}

}  // namespace

std::vector<ItemBox> ItemBoxesOf(const Call& call, const std::vector<StageBox>& kernel_boxes,
                                 const NeededExtents& needed, const ExtentBuffer& buffer_of) {
  const Function& function = *relay::AsFunction(call.op);
  std::vector<ItemBox> boxes;
  for (const StageBox& box : kernel_boxes) {
    const NeededAxes axes = NeededOf(call, function, box, needed);
    ItemBox items{box.stage, box.first, {}};
    bool limited = false;
    for (const StageAxis& axis : box.axes) {
      items.axes.push_back({axis.items});
      const bool known = axis.axis >= 0 && static_cast<size_t>(axis.axis) < axes.size();
      const auto& positions = known ? Nth(axes, axis.axis) : std::nullopt;
      const std::optional<int> buffer = positions ? buffer_of(positions->extent) : std::nullopt;
      // A number of positions that was rounded up cannot be multiplied.
      if (!buffer || (positions->step != 1 && axis.scale != 1)) continue;
      ItemAxis& limit = items.axes.back();
      limit.extent = *buffer;
      limit.scale = positions->scale * axis.scale;
      limit.step = positions->step * axis.step;
      limited = true;
    }
    if (limited) boxes.push_back(std::move(items));
  }
  return boxes;
}

std::vector<int> ExtentsOf(const PlanCall& call) {
  std::vector<int> extents;
  const auto add = [&](const std::vector<ItemBox>& boxes) {
    for (const ItemBox& box : boxes) {
      for (const ItemAxis& axis : box.axes) {
        if (axis.extent >= 0) extents.push_back(axis.extent);
      }
    }
  };
  add(call.boxes);
  for (const CallVariant& variant : call.variants) {
    add(variant.boxes);
    for (const ExtentLimit& limit : variant.limits) extents.push_back(limit.extent);
  }
  return extents;
}

std::vector<ExtentLimit> LimitsOf(const Call& call, const Shape& most, const NeededExtents& needed,
                                  const ExtentBuffer& buffer_of) {
  const Function& function = *relay::AsFunction(call.op);
  const Call* scheduled = ScheduledCall(function);
  const NeededAxes axes = scheduled == nullptr ? NeededAxes() : needed.Within(call, *scheduled);
  if (axes.size() != most.size()) return {};
  const Shape whole = ResultShape(AnchorOf(function)->workload);
  std::vector<ExtentLimit> limits;
  for (size_t d = 0; d < most.size(); ++d) {
    if (most[d] >= whole[d]) continue;
    const std::optional<int> buffer = axes[d] ? buffer_of(axes[d]->extent) : std::nullopt;
    if (!buffer) return {};
    // ceil(extent * scale / step) <= most
    limits.push_back({*buffer, most[d] * axes[d]->step / axes[d]->scale});
  }
  return limits;
}

}  // namespace hone
