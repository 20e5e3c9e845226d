// Nodes of opsets 1 to 9, whose operators were written otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/frontend/onnx/onnx_graph.h"
#include "compiler/frontend/onnx/typed_builder.h"

namespace hone {

// The first opset whose nodes converters read as they are.
inline constexpr int64_t kPresentRules = 10;

// Makes of a node of ONNX's own domain and `opset`, below kPresentRules, the one of that opset that computes the same:
// what was an attribute becomes an input, and the second operand gets the axes that numpy's broadcasting wants.
// `inputs`: the node's, null where one is left out. Throws Error(kBadData) without the node's name for what only
// training asks for.
void ToPresentRules(OnnxNode& node, std::vector<relay::ExprPtr>& inputs, int64_t opset, TypedBuilder& builder);

}  // namespace hone
