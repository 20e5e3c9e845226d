// Slices and splits whose bounds the model computes, or of axes whose extents are counted in a run.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// Steps of a Slice are clamped to this magnitude.
inline constexpr int64_t kMaxSliceStep = int64_t{1} << 31;

// Whether the node, a Slice of opset 10 or later, has computed bounds or cuts an axis whose extent is counted.
bool IsCountedSlice(const OnnxNodeView& view);
// The slice, whose extents along the named axes are counted. Axes and steps must be known. Throws Error(kBadData).
relay::ExprPtr CountedSlice(const OnnxNodeView& view);

// Parts whose sizes, or whose sum, are counted. Equal parts are as many as the extent over their number, rounded up.
// Throws Error(kBadData).
std::vector<relay::ExprPtr> CountedSplit(const OnnxNodeView& view, int64_t axis, int64_t parts);

}  // namespace hone
