// Transposes as values: what a pass that moves them needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Result axis d is data axis axes[d].
using Axes = std::vector<int64_t>;

// The call when it is a transpose, else null.
const relay::Call* AsTranspose(const relay::ExprPtr& expr);
// Of a transpose: none negative, none left out.
Axes TransposeAxes(const relay::Call& transpose);
// The names of the argument's axes when `result` are those of the result, a letter each: "MBK" for "BMK" and axes
// (1, 0, 2).
std::string TransposedFrom(const relay::Call& transpose, std::string_view result);
// The axes that undo `axes`.
Axes Inverse(const Axes& axes);
// `axis` of a tensor of that rank, which may count from the back, as an axis from the front.
int64_t FromFront(int64_t axis, size_t rank);

// `expr` with its axes in another order: a constant is computed, a transpose of a transpose joined, and one that
// changes nothing left out.
relay::ExprPtr Transposed(const relay::ExprPtr& expr, const Axes& axes, const std::string& name = "");
// What a transpose of a transpose, or one that changes nothing, is; null for any other node.
relay::ExprPtr JoinTransposes(const relay::ExprPtr& node);

// Whether no element changes its place: only axes of one element move. False where a dim is not known.
bool MovesOnesOnly(const relay::Call& transpose);

}  // namespace hone
