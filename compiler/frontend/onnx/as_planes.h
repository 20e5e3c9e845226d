// One spatial dimension seen as two.
#pragma once

#include "compiler/frontend/onnx/onnx_operators.h"

namespace hone {

// What `convert` makes of a convolution or pool. Data of one spatial dimension (N, C, W) become planes of one row, the
// node's attributes and a weight follow, and the row is taken off the results again.
std::vector<relay::ExprPtr> AsPlanes(const OnnxNodeView& view, OnnxConvert convert);

}  // namespace hone
