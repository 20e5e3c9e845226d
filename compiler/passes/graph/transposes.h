// Transposes as values, for passes that move them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Axis d of the result is axis axes[d] of the data.
using Axes = std::vector<int64_t>;

// The call when it is a transpose, else null.
const relay::Call* AsTranspose(const relay::ExprPtr& expr);
// The axes of a transpose, none negative and none omitted.
Axes TransposeAxes(const relay::Call& transpose);
// The names of the argument's axes, given the result's, one letter each: "MBK" for "BMK" and axes (1, 0, 2).
std::string TransposedFrom(const relay::Call& transpose, std::string_view result);
// The axes that undo `axes`.
Axes Inverse(const Axes& axes);
// `axis` of a tensor of that rank as an axis counted from the front; a negative one counts from the back.
int64_t FromFront(int64_t axis, size_t rank);

// `expr` with its axes in another order. A constant is computed, a transpose of a transpose is joined, and a transpose
// that changes nothing is omitted.
relay::ExprPtr Transposed(const relay::ExprPtr& expr, const Axes& axes, const std::string& name = "");
// The replacement for a transpose of a transpose, or for one that changes nothing; null for any other node.
relay::ExprPtr JoinTransposes(const relay::ExprPtr& node);

// Whether no element changes its position in memory, because only axes of one element move. False if a dimension is not
// known.
bool MovesOnesOnly(const relay::Call& transpose);

}  // namespace hone
