// Scalars that converters put into the graph.
#pragma once

#include <string_view>

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// The number as a constant without dimensions, with the dtype of `like`.
relay::ExprPtr ScalarLike(const OnnxNodeView& view, const relay::ExprPtr& like, double value);

// A Relay operator on an expression and a number.
relay::ExprPtr WithScalar(const OnnxNodeView& view, std::string_view op, const relay::ExprPtr& lhs, double rhs);

}  // namespace hone
