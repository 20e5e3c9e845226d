// Numbers of a shape that the model computes: each is known, or a count with the most that it can be.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

struct ComputedDim {
  int64_t number = 0;    // when `count` is null; may be negative, as the model gives it
  relay::ExprPtr count;  // null when it is known
  bool is_known() const { return count == nullptr; }
};

// The elements of an integer input of at most one axis. What shapes, joins, moves and constants make of known numbers
// is known. Throws Error(kBadData) when the input is something else, or more than 16 numbers.
std::vector<ComputedDim> ComputedDims(const OnnxNodeView& view, int input, std::string_view what);

// The most that the count can be: from how it was made, else what --max-dim gives, and then a run in which it is more
// fails. Throws Error(kBadData) where neither says.
int64_t MostOf(const OnnxNodeView& view, const relay::ExprPtr& count, std::string_view what);

}  // namespace hone
