// Slice where its bounds are computed, or count from the end of an axis whose extent is counted in a run.
#pragma once

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// Whether the node, a Slice of opset 10 or later, has bounds that are computed, or cuts an axis whose extent is
// counted.
bool IsCountedSlice(const OnnxNodeView& view);

// Its result, whose extents along the axes that it names are counted. Axes and steps must be known. Throws
// Error(kBadData).
relay::ExprPtr CountedSlice(const OnnxNodeView& view);

}  // namespace hone
