// Where a pool found its largest elements.
#pragma once

#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"
#include "compiler/frontend/onnx/window.h"

namespace hone {

// The largest float32 element of `data` (N, C, H, W) in each window, and where the first of them lies in all of the
// data's memory (int64); with storage_order=1 planes count column by column. `window` must not be wholly in its
// padding. Throws Error(kBadData).
std::vector<relay::ExprPtr> PoolWithIndices(const OnnxNodeView& view, const relay::ExprPtr& data, const Window& window);

}  // namespace hone
