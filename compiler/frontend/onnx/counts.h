// Values whose extents are counted in a run.
//
//   type     [8, 4]        the most rows that can come
//   counts   [n, null]     n: an expression of the model, one int64 in [0, 8]; null: as the type says
//
//   r r r . . . . .        n = 3: the rows behind it are of any numbers, and none that is seen may depend on them
//
// A call passes them on by a rule of its operator. Where it would mix what is there with what is not (a sum over rows)
// the rest is first made neutral.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/relay/attrs.h"
#include "compiler/relay/expr.h"

namespace hone {

class TypedBuilder;

// One per axis; empty: every axis is as the type says.
using Counts = std::vector<relay::ExprPtr>;

// Whether one of the arguments, or of a tuple's fields, has counts.
bool AnyCounted(const TypedBuilder& builder, const std::vector<relay::ExprPtr>& args);

// TypedBuilder::Call for such arguments. Throws Error(kBadData) where the operator has no rule, or cannot go on without
// knowing the extent.
relay::ExprPtr CallOnCounted(TypedBuilder& builder, std::string_view op, std::vector<relay::ExprPtr> args,
                             const relay::Attrs& attrs);

// The data with `fill` in what lies behind the counts of its axes; of its own type.
relay::ExprPtr FillBehindCounts(TypedBuilder& builder, const relay::ExprPtr& data, double fill);

// Whether the value has a count along the axis.
bool IsCounted(const TypedBuilder& builder, const relay::ExprPtr& value, int64_t axis);
// One int64 as an expression.
relay::ExprPtr CountOf(int64_t number);
// How far an axis goes: its count, or its dim as a constant.
relay::ExprPtr ExtentOf(const TypedBuilder& builder, const relay::ExprPtr& value, int64_t axis);

}  // namespace hone
