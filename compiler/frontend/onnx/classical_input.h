// What classical models (ai.onnx.ml) read, and lists of numbers that they hold.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// Input 0 as float32 (rows, features); a vector is one row. Throws Error(kBadData) when it is no such thing or empty.
relay::ExprPtr FeatureMatrix(const OnnxNodeView& view);

// The attribute's numbers, given as floats, as a tensor of that name or as one of that name with "_as_tensor" behind
// it. Empty when it is absent. Throws Error(kBadData) when it is something else.
std::vector<float> FloatsOf(const OnnxNodeView& view, std::string_view name);

// The same for integers, which are attributes of their own or tensors.
std::vector<int64_t> IntsOf(const OnnxNodeView& view, std::string_view name);

// Throws Error(kBadData) naming both unless a list holds so many.
void RequireCount(std::string_view name, size_t given, size_t wanted, std::string_view of);

}  // namespace hone
