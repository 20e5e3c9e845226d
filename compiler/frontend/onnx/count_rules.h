// How each operator of the graph passes counted extents on (counts.h).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/counts.h"

namespace hone {

class TypedBuilder;

// The result's counts; of a tuple, those that all its fields have. `attrs` are complete. Throws Error(kBadData) where
// the operator has no rule, or needs to know the extent.
Counts CountsOfResult(TypedBuilder& builder, std::string_view op, const std::vector<relay::ExprPtr>& args,
                      const relay::Attrs& attrs, const relay::ExprPtr& result);

// The fields of a tuple one after the other along an axis, what is there of each behind what is there of the one
// before.
relay::ExprPtr JoinCounted(TypedBuilder& builder, const relay::ExprPtr& tuple, int64_t axis);

// The axes that a reduction runs over, from its attribute `axis`, sorted.
std::vector<int64_t> FoldedAxes(const relay::Attrs& attrs, size_t rank);

}  // namespace hone
