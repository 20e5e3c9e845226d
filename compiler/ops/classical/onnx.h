// Inputs and scores of classical models (ai.onnx.ml), and the lists of numbers in their attributes.
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

// The final transform of a model's scores. `scores` is float32 (rows, targets); `name` is ONNX's: NONE, SOFTMAX,
// LOGISTIC, SOFTMAX_ZERO or PROBIT. PROBIT is Winitzki's formula for the inverse of erf, as in ONNX Runtime (within
// 0.006 of the exact value). Throws Error(kBadData) for any other name.
relay::ExprPtr PostTransform(const OnnxNodeView& view, const relay::ExprPtr& scores, std::string_view name);

}  // namespace hone
