// Joins of values whose extents are counted at run time.
#pragma once

#include <cstdint>

#include "compiler/frontend/onnx/counts.h"

namespace hone {

class TypedBuilder;

// The data with rows written from a position on, of which only those within the rows' count are valid. `positions` is
// one int64, or one for each image. The result has `extent` places along the axis, or as many as the data if it is 0.
// It has the data's counts, but none along the axis, which the caller sets.
relay::ExprPtr WithRows(TypedBuilder& builder, const relay::ExprPtr& data, const relay::ExprPtr& rows, int64_t axis,
                        const relay::ExprPtr& positions, int64_t extent = 0);

// Joins the fields of a tuple along an axis, so that each field's valid elements follow those of the previous field.
relay::ExprPtr JoinCounted(TypedBuilder& builder, const relay::ExprPtr& tuple, int64_t axis);

}  // namespace hone
