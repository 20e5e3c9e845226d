// Elements of calls that only move them.
#pragma once

#include <cstdint>

#include "compiler/relay/expr.h"
#include "core/tensor.h"

namespace hone {

class TypedBuilder;

struct MovedElement {
  relay::ExprPtr from;  // null if the call computes the element
  int64_t element = 0;  // in row-major order
};

// The argument, or the field of its tuple, that an element of a call's result comes from; the result has this shape.
// Calls that move are joins, reshapes, broadcasts of one element, transposes, slices, and picks at known positions.
MovedElement BeforeMove(const TypedBuilder& builder, const relay::Call& call, const Shape& result, int64_t element);

}  // namespace hone
