// The places of tensors in a plan's buffers, and the functions that only view a tensor in another way.
#pragma once

#include <optional>

#include "compiler/relay/expr.h"
#include "core/package/plan.h"

namespace hone {

// Bytes of the physical tensor, and bytes of one step along its first dimension (0 for a scalar).
int64_t PhysicalBytes(const relay::Type& type);
int64_t BatchStride(const relay::Type& type);

// Whether the view of a tensor of that type has its images directly after each other.
bool IsDense(const PlanView& view, const relay::Type& type);

// The view of the result on the argument's memory, if the function moves no data. Such functions are a reshape of
// row-major data, a slice of it along the batch, and a layout_transform between layouts of the same bytes. Returns
// nullopt if the function moves data, or must here because the images lie apart.
std::optional<PlanView> AsView(const relay::Function& function, const PlanView& argument);
// Whether the function could be a view at all, for some argument.
bool MayBeView(const relay::Function& function);

}  // namespace hone
