// ONNX's matrix product of tensors of any rank.
#pragma once

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// The product as by MatMul, with numpy's rules for vectors and batches. If b is one matrix it is an nn.dense (marked by
// `integral`; for uint8 and int8 in int32), else an nn.batch_matmul with the same mark. With `zero_points`, those of
// two uint8 tensors, it is always the latter, in int32. Throws Error(kBadData) if the shapes do not fit.
relay::ExprPtr MatrixProduct(const OnnxNodeView& view, relay::ExprPtr a, relay::ExprPtr b, bool integral,
                             const relay::ExprPtr& zero_points = nullptr);

// Multiplies each row of a with each row of b. It is an nn.dense of two matrices (the second is units x depth), or an
// nn.batch_matmul of two batches. For int32 and int64 it is a sum of products, which wraps.
relay::ExprPtr RowsByRows(const OnnxNodeView& view, const relay::ExprPtr& a, const relay::ExprPtr& b);

relay::ExprPtr TransposedMatrix(const OnnxNodeView& view, const relay::ExprPtr& matrix);

}  // namespace hone
