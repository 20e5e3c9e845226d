// The sliding window that ONNX's convolutions and pools share.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compiler/frontend/onnx/onnx_node_view.h"

namespace hone {

// Over height and width, or depth, height and width. Padding is what lies before each, then what lies behind each,
// explicit whatever the node says (auto_pad, ceil_mode).
struct Window {
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilation;
  std::vector<int64_t> padding;
};

// Reads kernel_shape (or `kernel`, when that is known from the weight: then both must agree), strides, dilations, pads
// and auto_pad. The node's first input must be N,C,H,W, or N,C,D,H,W where `spatial` is 3. Throws Error(kBadData).
Window ReadWindow(const OnnxNodeView& view, const std::vector<int64_t>& kernel, size_t spatial = 2);

// Grows what lies behind so that rounding the number of windows down gives what rounding up gave before. A window that
// would begin in the padding does not count, as ONNX and its runtimes have it.
void PadToCeil(Window& window, const Shape& data);

// The means of float32 `data`, of the shape of the node's first input, as an AveragePool node asks for them. Throws
// Error(kBadData) as ReadWindow does.
relay::ExprPtr Averaged(const OnnxNodeView& view, relay::ExprPtr data, size_t spatial = 2);

// The sizes and steps of four numbers at most are held below this, so that their arithmetic cannot overflow.
inline constexpr int64_t kMaxWindow = int64_t{1} << 30;
// Of the rows and of the columns of a table of positions: products of two of these, in bytes, cannot overflow.
inline constexpr int64_t kMostPlaces = int64_t{1} << 28;

}  // namespace hone
