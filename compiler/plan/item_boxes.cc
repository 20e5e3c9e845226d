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

bool IsScheduled(const Function& function) { return AttentionOf(function) != nullptr || ChoiceOf(function) != nullptr; }

NeededAxes NeededOfResult(const Call& call, const Function& function, int result, const NeededExtents& needed) {
  const relay::Tuple* tuple = relay::AsTuple(function.body);
  return tuple == nullptr ? needed.Within(call, *function.body, result)
                          : needed.Within(call, *Nth(tuple->fields, result));
}

// The needed part of the output that a box computes, by the axes that the box names.
NeededAxes NeededOf(const Call& call, const Function& function, const StageBox& box, const NeededExtents& needed) {
  if (IsScheduled(function)) {
    const Call* scheduled = ScheduledCall(function);
    return scheduled == nullptr ? NeededAxes() : needed.Within(call, *scheduled);
  }
  return NeededOfResult(call, function, box.output, needed);
}

}  // namespace

void AddEnds(size_t result, const NeededAxes& needed, std::vector<int64_t>& ends) {
  for (size_t axis = 0; axis < needed.size(); ++axis) {
    if (needed[axis]) ends.insert(ends.end(), {static_cast<int64_t>(result), static_cast<int64_t>(axis)});
  }
}

std::vector<int64_t> EndsOf(const Call& call, const NeededExtents& needed) {
  const Function& function = *relay::AsFunction(call.op);
  if (IsScheduled(function)) return {};
  const bool several = call.type->kind == relay::TypeKind::kTuple;
  std::vector<int64_t> ends;
  for (size_t i = 0; i < (several ? call.type->fields.size() : 1); ++i) {
    AddEnds(i, NeededOfResult(call, function, static_cast<int>(i), needed), ends);
  }
  return ends;
}

std::optional<ItemBox> ItemBoxOf(const StageBox& box, const NeededAxes& needed, const ExtentBuffer& buffer_of) {
  ItemBox items{box.stage, box.first, {}};
  bool limited = false;
  for (const StageAxis& axis : box.axes) {
    items.axes.push_back({axis.items});
    const bool known = axis.axis >= 0 && static_cast<size_t>(axis.axis) < needed.size();
    const auto& positions = known ? Nth(needed, axis.axis) : std::nullopt;
    const std::optional<int> buffer = positions ? buffer_of(positions->extent) : std::nullopt;
    // A number of positions that was rounded up cannot be multiplied.
    if (!buffer || (positions->step != 1 && axis.scale != 1)) continue;
    ItemAxis& limit = items.axes.back();
    limit.extent = *buffer;
    limit.scale = positions->scale * axis.scale;
    limit.step = positions->step * axis.step;
    limit.plus = std::max<int64_t>(0, positions->plus * axis.scale + axis.plus * positions->step);
    limited = true;
  }
  return limited ? std::optional(std::move(items)) : std::nullopt;
}

std::vector<ItemBox> ItemBoxesOf(const Call& call, const std::vector<StageBox>& kernel_boxes,
                                 const NeededExtents& needed, const ExtentBuffer& buffer_of) {
  const Function& function = *relay::AsFunction(call.op);
  std::vector<ItemBox> boxes;
  for (const StageBox& box : kernel_boxes) {
    auto items = ItemBoxOf(box, NeededOf(call, function, box, needed), buffer_of);
    if (items) boxes.push_back(std::move(*items));
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
    // ceil((extent * scale + plus) / step) <= most
    limits.push_back({*buffer, std::max<int64_t>(0, most[d] * axes[d]->step - axes[d]->plus) / axes[d]->scale});
  }
  return limits;
}

}  // namespace hone
