// Nodes of opsets 1 to 9, whose operators had other forms.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/frontend/onnx/onnx_graph.h"
#include "compiler/frontend/onnx/typed_builder.h"

namespace hone {

// The first opset whose nodes converters read directly.
inline constexpr int64_t kPresentRules = 10;

// Changes a node of ONNX's own domain and `opset`, below kPresentRules, into the node of opset kPresentRules that
// computes the same. Attributes become inputs where necessary, and the second operand gets the axes for numpy's
// broadcasting. `inputs` are the node's, null if omitted. Throws Error(kBadData) without the node's name for a form
// that only training uses.
void ToPresentRules(OnnxNode& node, std::vector<relay::ExprPtr>& inputs, int64_t opset, TypedBuilder& builder);

}  // namespace hone
