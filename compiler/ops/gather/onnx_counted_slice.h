// Slice with computed bounds, or with bounds from the end of an axis whose extent is counted at run time.
#pragma once

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// Steps of a Slice are clamped to this magnitude.
constexpr int64_t kMaxSliceStep = int64_t{1} << 31;

// Whether the node, a Slice of opset 10 or later, has computed bounds or cuts an axis whose extent is counted.
bool IsCountedSlice(const OnnxNodeView& view);

// The slice, whose extents along the named axes are counted. Axes and steps must be known. Throws Error(kBadData).
relay::ExprPtr CountedSlice(const OnnxNodeView& view);

}  // namespace hone
