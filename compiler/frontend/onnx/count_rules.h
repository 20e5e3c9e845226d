// The rule by which each operator of the graph passes counted extents on (counts.h).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/counts.h"

namespace hone {

class TypedBuilder;

// The result's counts; for a tuple, those that all fields share. `attrs` are complete. Throws Error(kBadData) if the
// operator has no rule, or needs to know the extent.
Counts CountsOfResult(TypedBuilder& builder, std::string_view op, const std::vector<relay::ExprPtr>& args,
                      const relay::Attrs& attrs, const relay::ExprPtr& result);

// The axes of a reduction, from its attribute `axis`, sorted.
std::vector<int64_t> FoldedAxes(const relay::Attrs& attrs, size_t rank);

}  // namespace hone
