// Shared parts of operators with numpy's broadcasting.
#pragma once

#include <string>
#include <vector>

#include "compiler/relay/type.h"

namespace hone::relay {

// The blocked layout that the operands of a result of `shape` share, or empty. An operand of the result's full shape
// must have it; an operand that is broadcast may be row-major. Throws Error(kBadData).
std::string CommonLayout(const std::vector<const Type*>& operands, const Shape& shape);

// The shape and layout of operands that are broadcast with one another, as a tensor of `dtype`. Throws Error(kBadData).
TypePtr BroadcastOf(const std::vector<const Type*>& operands, DType dtype);

}  // namespace hone::relay
