// Values whose extents are counted at run time.
//
//    type     [8, 4]        at most 8 rows
//    counts   [n, null]     n: an expression of the model, one int64 in [0, 8]; null: the type's extent
//
//    r r r . . . . .        n = 3: rows behind the count hold anything, and no visible row may depend on them
//
// A call passes counts on by its operator's rule. If the operator would mix valid and invalid elements (a sum over
// rows), the invalid ones are first made neutral.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/relay/attrs.h"
#include "compiler/relay/expr.h"

namespace hone {

class TypedBuilder;

// One count per axis; empty if every axis has the type's extent.
using Counts = std::vector<relay::ExprPtr>;

// Whether one of the arguments, or of a tuple's fields, has counts.
bool AnyCounted(const TypedBuilder& builder, const std::vector<relay::ExprPtr>& args);

// TypedBuilder::Call for such arguments. Throws Error(kBadData) if the operator has no rule, or needs to know the
// extent.
relay::ExprPtr CallOnCounted(TypedBuilder& builder, std::string_view op, std::vector<relay::ExprPtr> args,
                             const relay::Attrs& attrs);

// The data with `fill` in the elements behind the counts of its axes, or of some of them; its own type stays.
relay::ExprPtr FillBehindCounts(TypedBuilder& builder, const relay::ExprPtr& data, double fill);
relay::ExprPtr FillBehindCounts(TypedBuilder& builder, const relay::ExprPtr& data, double fill,
                                const std::vector<int64_t>& axes);

// The data, of whose axes nothing behind the counts is read from here on: what a run need not compute.
relay::ExprPtr OnlyCounted(TypedBuilder& builder, relay::ExprPtr data, const std::vector<int64_t>& axes);

// The values with one dimension along an axis of each (negative: none), the least of those that are counted. Halves of
// 9 are 5 and 4, and counts of both may agree.
std::vector<relay::ExprPtr> WithOneDim(TypedBuilder& builder, std::vector<relay::ExprPtr> values,
                                       const std::vector<int64_t>& axes);

// Whether the value has a count along the axis.
bool IsCounted(const TypedBuilder& builder, const relay::ExprPtr& value, int64_t axis);
// An int64 scalar as an expression.
relay::ExprPtr CountOf(int64_t number);
// The extent of an axis: its count, or its dimension as a constant.
relay::ExprPtr ExtentOf(const TypedBuilder& builder, const relay::ExprPtr& value, int64_t axis);

}  // namespace hone
