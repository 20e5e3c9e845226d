// The work items of a plan's calls that runs of smaller extents leave out.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/passes/graph/needed_extents.h"
#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"
#include "core/package/plan.h"

namespace hone {

// The buffer of an extent if its value is there before the call; nullopt if it is not.
using ExtentBuffer = std::function<std::optional<int>(const relay::ExprPtr& extent)>;

// The items of a kernel's box that compute the needed part of an output; nullopt if all of them are needed.
std::optional<ItemBox> ItemBoxOf(const StageBox& box, const NeededAxes& needed, const ExtentBuffer& buffer_of);

// Adds the limited axes of a result to those that WithEnds takes.
void AddEnds(size_t result, const NeededAxes& needed, std::vector<int64_t>& ends);
// The axes of a call's results along which runs need the first positions alone, as WithEnds takes them. None for a
// kernel of a schedule.
std::vector<int64_t> EndsOf(const relay::Call& call, const NeededExtents& needed);

// The boxes of a call whose function's kernel has `kernel_boxes`. Boxes of which all items are needed are left out.
std::vector<ItemBox> ItemBoxesOf(const relay::Call& call, const std::vector<StageBox>& kernel_boxes,
                                 const NeededExtents& needed, const ExtentBuffer& buffer_of);

// The buffers of the extents that decide which kernel and which work items a call runs.
std::vector<int> ExtentsOf(const PlanCall& call);

// The limits that hold in runs which need at most the positions `most` of an anchor's result, as ResultShape has it.
// None if that cannot be told before the call.
std::vector<ExtentLimit> LimitsOf(const relay::Call& call, const Shape& most, const NeededExtents& needed,
                                  const ExtentBuffer& buffer_of);

}  // namespace hone
