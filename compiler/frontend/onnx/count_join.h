// Joins of values whose extents are counted at run time.
#pragma once

#include <cstdint>

#include "compiler/frontend/onnx/counts.h"

namespace hone {

class TypedBuilder;

// Joins the fields of a tuple along an axis, so that each field's valid elements follow those of the previous field.
relay::ExprPtr JoinCounted(TypedBuilder& builder, const relay::ExprPtr& tuple, int64_t axis);

}  // namespace hone
