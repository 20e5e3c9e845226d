// Max pools that also return the positions of the largest elements.
#pragma once

#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"
#include "compiler/frontend/onnx/window.h"

namespace hone {

// The largest float32 element of `data` (N, C, H, W) in each window, and the position of the first one. The position is
// an int64 in all of the data's memory. With storage_order=1 planes count column by column. No window may lie wholly in
// its padding. Throws Error(kBadData).
std::vector<relay::ExprPtr> PoolWithIndices(const OnnxNodeView& view, const relay::ExprPtr& data, const Window& window);

}  // namespace hone
