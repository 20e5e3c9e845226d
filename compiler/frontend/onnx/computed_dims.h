// Dimensions of a shape that the model computes: each is known, or a count with an upper bound.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

struct ComputedDim {
  int64_t number = 0;    // if `count` is null; as the model gives it, perhaps negative
  relay::ExprPtr count;  // null if the number is known
  bool is_known() const { return count == nullptr; }
};

// The elements of an integer input of at most one axis. Elements are known if shapes, joins, moves and constants make
// them of known numbers. Throws Error(kBadData) for any other input, or for more than 16 numbers.
std::vector<ComputedDim> ComputedDims(const OnnxNodeView& view, int input, std::string_view what);

// The count's upper bound. It follows from the count's computation, or else from --max-dim; a run with a larger count
// then fails. Throws Error(kBadData) if neither gives one.
int64_t MostOf(const OnnxNodeView& view, const relay::ExprPtr& count, std::string_view what);

}  // namespace hone
