// Inputs of classical models (ai.onnx.ml), and the lists of numbers in their attributes.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// Input 0 as float32 (rows, features); a vector is one row. Throws Error(kBadData) if it has another rank or is empty.
relay::ExprPtr FeatureMatrix(const OnnxNodeView& view);

// The attribute's floats. They are given as floats, as a tensor of that name, or as a tensor of that name with the
// suffix "_as_tensor". Empty if absent. Throws Error(kBadData) for any other kind.
std::vector<float> FloatsOf(const OnnxNodeView& view, std::string_view name);

// The attribute's integers, given as integers or as a tensor of that name. Empty if absent. Throws Error(kBadData) for
// a tensor of floats.
std::vector<int64_t> IntsOf(const OnnxNodeView& view, std::string_view name);

// Throws Error(kBadData) naming both lists unless the given one has `wanted` elements.
void RequireCount(std::string_view name, size_t given, size_t wanted, std::string_view of);

}  // namespace hone
