// Means over windows, which other families' readers take too.
#pragma once

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// The means of float32 `data`, which has the shape of the node's first input, as an AveragePool node defines them.
// Throws Error(kBadData) as ReadWindow does.
relay::ExprPtr Averaged(const OnnxNodeView& view, relay::ExprPtr data, size_t spatial = 2);

}  // namespace hone
