// Small expressions that converters put into the graph: conversions, scalars and positions.
#pragma once

#include <cstdint>
#include <string_view>

#include "compiler/frontend/onnx/onnx_node_view.h"
#include "compiler/relay/expr.h"
#include "core/tensor.h"

namespace hone {

// The dtype that represents an ONNX element type: float16, bfloat16 and float64 are computed as float32. Throws
// Error(kBadData) without the node's name for types that hone does not support.
DType CastTarget(int64_t onnx_type);

// The expression converted to that dtype; the expression itself if it has it.
relay::ExprPtr AsDType(const OnnxNodeView& view, const relay::ExprPtr& expr, DType dtype);

// The number as a constant without dimensions, with the dtype of `like`.
relay::ExprPtr ScalarLike(const OnnxNodeView& view, const relay::ExprPtr& like, double value);

// A Relay operator on an expression and a number.
relay::ExprPtr WithScalar(const OnnxNodeView& view, std::string_view op, const relay::ExprPtr& lhs, double rhs);

// Positions, from which converters build masks: begin, begin + 1, ... (int64) along `axis` of a tensor of `rank`, whose
// other dimensions are 1.
relay::ExprPtr Positions(int64_t extent, int64_t axis, int64_t rank, int64_t begin = 0);

// Positions along an axis of a value, as int64 of `rank` axes of which `into` is that axis. They have the axis's count.
relay::ExprPtr PositionsAlong(TypedBuilder& builder, const relay::ExprPtr& value, int64_t axis, int64_t into,
                              int64_t rank, int64_t begin = 0);

// Makes a run fail if the axis has less than `least` elements. Only extents that are counted are checked.
void RequireElements(TypedBuilder& builder, const relay::ExprPtr& value, int64_t axis, const relay::ExprPtr& least);

// The expression with the axes and extents of `like`, which has as many elements.
relay::ExprPtr ReshapeLike(const OnnxNodeView& view, const relay::ExprPtr& expr, const relay::ExprPtr& like);

// A few numbers that follow from extents, as a constant where all runs agree on them: whether a dimension is -1. Any
// other expression as it is.
relay::ExprPtr ConstantIfKnown(TypedBuilder& builder, const relay::ExprPtr& expr);

}  // namespace hone
