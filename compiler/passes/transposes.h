// Transposes as values: what a pass that moves them needs.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Result axis d is data axis axes[d].
using Axes = std::vector<int64_t>;

// The call when it is a transpose, else null.
const relay::Call* AsTranspose(const relay::ExprPtr& expr);
// Of a transpose: none negative, none left out.
Axes AxesOf(const relay::Call& transpose);
// The axes that undo `axes`.
Axes Inverse(const Axes& axes);
// `axis` of a tensor of that rank, which may count from the back, as an axis from the front.
int64_t FromFront(int64_t axis, size_t rank);
// The dims, one per axis of the transposed tensor, in the order of the tensor as it was.
Shape BeforeTranspose(const Shape& dims, const Axes& axes);

// `expr` with its axes in another order: a constant is computed, a transpose of a transpose joined, and one that
// changes nothing left out.
relay::ExprPtr Transposed(const relay::ExprPtr& expr, const Axes& axes, const std::string& name = "");

// Whether no element changes its place: only axes of one element move. False where a dim is not known.
bool MovesOnesOnly(const relay::Call& transpose);

}  // namespace hone
