// The sliding window of ONNX's convolutions and pools.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"
#include "compiler/frontend/onnx/onnx_operators.h"

namespace hone {

// A window over height and width, or depth, height and width. Padding lists all beginnings, then all ends; it is
// explicit whatever the node says (auto_pad, ceil_mode).
struct Window {
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilation;
  std::vector<int64_t> padding;
};

// Reads kernel_shape, strides, dilations, pads and auto_pad. If the weight gives `kernel`, kernel_shape must agree with
// it. The node's first input must be N,C,H,W, or N,C,D,H,W if `spatial` is 3. Throws Error(kBadData).
Window ReadWindow(const OnnxNodeView& view, const std::vector<int64_t>& kernel, size_t spatial = 2);

// Grows the padding at the ends so that rounding the number of windows down gives the same number as rounding up did. A
// window that would begin in the padding does not count, as in ONNX and its runtimes.
void PadToCeil(Window& window, const Shape& data);

// Bound of window sizes and steps, so that arithmetic with at most four of them cannot overflow.
inline constexpr int64_t kMaxWindow = int64_t{1} << 30;
// Bound of the rows and of the columns of a table of positions: the bytes of their product cannot overflow.
inline constexpr int64_t kMostPlaces = int64_t{1} << 28;

// The result of `convert` for a convolution or pool. Data of one spatial dimension (N, C, W) become planes of one row,
// and so do the node's attributes and a weight. The row is then removed from the results.
std::vector<relay::ExprPtr> AsPlanes(const OnnxNodeView& view, OnnxConvert convert);

}  // namespace hone
