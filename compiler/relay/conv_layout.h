// In which order images and weights have their axes: nn.conv2d's operands and result, and what pools take.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/relay/attrs.h"
#include "core/tensor.h"

namespace hone::relay {

// A letter per axis of the shape: batch N, channels C, outputs O, inputs of a group I, height H, width W.
struct ConvLayouts {
  std::string data = "NCHW";
  std::string kernel = "OIHW";
  std::string out = "NCHW";
  bool operator==(const ConvLayouts&) const = default;
};

// Of the attributes data_layout, kernel_layout and out_layout of a call. Names that CheckConvLayouts would refuse say
// how memory is blocked (NCHW16c), and shapes have the order above.
ConvLayouts ConvLayoutsOf(const Attrs& attrs);

// For operands that lie row-major. Throws Error(kBadData) naming the attribute unless data_layout and out_layout are
// NCHW or NHWC, and kernel_layout OIHW, HWIO, OHWI or HWOI; out_layout may be empty, which means as data.
void CheckConvLayouts(const Attrs& attrs);

// Of the attribute layout of a pool's call: NCHW or NHWC. Throws Error(kBadData) naming it for any other.
std::string PoolLayoutOf(const Attrs& attrs);

// What `transpose` takes as axes to bring a tensor from one order into another of the same letters.
std::vector<int64_t> LayoutAxes(std::string_view from, std::string_view to);
// A shape in one order, and a row-major tensor of any type, in another of the same letters.
Shape Reordered(const Shape& shape, std::string_view from, std::string_view to);
Tensor Reordered(const Tensor& tensor, std::string_view from, std::string_view to);

}  // namespace hone::relay
