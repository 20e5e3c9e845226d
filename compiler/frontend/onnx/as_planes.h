// Converts nodes of one spatial dimension as nodes of two.
#pragma once

#include "compiler/frontend/onnx/onnx_operators.h"

namespace hone {

// The result of `convert` for a convolution or pool. Data of one spatial dimension (N, C, W) become planes of one row,
// and so do the node's attributes and a weight. The row is then removed from the results.
std::vector<relay::ExprPtr> AsPlanes(const OnnxNodeView& view, OnnxConvert convert);

}  // namespace hone
