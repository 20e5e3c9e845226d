// The order of the axes of images and weights: for nn.conv2d's operands and result, and for the data of pools.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/relay/attrs.h"
#include "core/tensor.h"

namespace hone::relay {

// One letter per axis of the shape: batch N, channels C, outputs O, inputs of a group I, height H, width W.
struct ConvLayouts {
  std::string data = "NCHW";
  std::string kernel = "OIHW";
  std::string out = "NCHW";
  bool operator==(const ConvLayouts&) const = default;
};

// Reads the attributes data_layout, kernel_layout and out_layout of a call. Names that CheckConvLayouts would refuse
// are blocked layouts of memory (NCHW16c); the shapes then have the default order above.
ConvLayouts ConvLayoutsOf(const Attrs& attrs);

// Checks the attributes of a call with row-major operands. data_layout and out_layout must be NCHW or NHWC, and
// kernel_layout OIHW, HWIO, OHWI or HWOI. An empty out_layout means as data. Throws Error(kBadData) naming the
// attribute.
void CheckConvLayouts(const Attrs& attrs);

// Reads the attribute layout of a pool's call: NCHW or NHWC. Throws Error(kBadData) naming any other value.
std::string PoolLayoutOf(const Attrs& attrs);

// The axes with which `transpose` brings a tensor from one order into another of the same letters.
std::vector<int64_t> LayoutAxes(std::string_view from, std::string_view to);
// Brings a shape, or a row-major tensor of any type, from one order into another of the same letters.
Shape Reordered(const Shape& shape, std::string_view from, std::string_view to);
Tensor Reordered(const Tensor& tensor, std::string_view from, std::string_view to);

}  // namespace hone::relay
