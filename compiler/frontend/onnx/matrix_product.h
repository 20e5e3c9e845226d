// ONNX's matrix product of tensors of any rank.
#pragma once

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// As MatMul has it, with numpy's rules for vectors and batches: nn.dense where b is one matrix (marked with
// `integral`; of uint8 and int8 in int32), else nn.batch_matmul (marked alike). With `zero_points`, those of two uint8
// tensors, always the latter, in int32. Throws Error(kBadData) when the shapes do not fit.
relay::ExprPtr MatrixProduct(const OnnxNodeView& view, relay::ExprPtr a, relay::ExprPtr b, bool integral,
                             const relay::ExprPtr& zero_points = nullptr);

// Each row of a with each row of b: nn.dense of two matrices (units x depth the second), nn.batch_matmul of two batches
// of them; of int32 and int64 the sum of products, wrapping.
relay::ExprPtr RowsByRows(const OnnxNodeView& view, const relay::ExprPtr& a, const relay::ExprPtr& b);

}  // namespace hone
