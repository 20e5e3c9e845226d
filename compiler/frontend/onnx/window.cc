#include "compiler/frontend/onnx/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone {
namespace {

// Kernels write out the places that a pad reaches: of so many they take seconds to compile, of all gigabytes.
constexpr int64_t kMostPad = 65536;

std::vector<int64_t> ReadInts(const OnnxNodeView& view, std::string_view name, size_t count, int64_t least,
                              std::vector<int64_t> otherwise) {
  std::vector<int64_t> values = view.Ints(name, std::move(otherwise));
  if (values.size() != count) {
    RefuseNode(fmt::format("{} has {} numbers; two spatial dimensions need {}", name, values.size(), count));
  }
  for (const int64_t value : values) {
    if (value < least || value > kMaxWindow) RefuseNode(fmt::format("{} holds {}", name, value));
  }
  return values;
}

// SAME: as many outputs as ceil(input / stride); an odd rest goes to the end (upper) or to the beginning (lower).
std::vector<int64_t> SamePadding(const Window& window, const Shape& data, bool upper) {
  std::vector<int64_t> padding(4);
  for (size_t i = 0; i < 2; ++i) {
    const int64_t size = data[2 + i];
    const int64_t outputs = (size + window.strides[i] - 1) / window.strides[i];
    const int64_t extent = (window.kernel[i] - 1) * window.dilation[i] + 1;
    const int64_t total = std::max<int64_t>(0, (outputs - 1) * window.strides[i] + extent - size);
    padding[i] = upper ? total / 2 : total - total / 2;
    padding[i + 2] = total - padding[i];
  }
  return padding;
}

}  // namespace

Window ReadWindow(const OnnxNodeView& view, const std::vector<int64_t>& kernel) {
  const Shape& data = view.InputShape(0);
  if (data.size() != 4) {
    RefuseNode(fmt::format("its data is {}; only two spatial dimensions (N,C,H,W) are supported", ShapeText(data)));
  }
  if (data[2] > kMaxWindow || data[3] > kMaxWindow)
    RefuseNode(fmt::format("its data of {} are too large", ShapeText(data)));
  Window window;
  window.kernel = ReadInts(view, "kernel_shape", 2, 1, kernel);
  if (!kernel.empty() && kernel != window.kernel) {
    RefuseNode(fmt::format("kernel_shape is {}, the weight's is {}", ShapeText(window.kernel), ShapeText(kernel)));
  }
  window.strides = ReadInts(view, "strides", 2, 1, {1, 1});
  window.dilation = ReadInts(view, "dilations", 2, 1, {1, 1});
  const std::string auto_pad = view.String("auto_pad", "NOTSET");
  if (auto_pad == "NOTSET") {
    window.padding = ReadInts(view, "pads", 4, 0, {0, 0, 0, 0});
  } else if (auto_pad == "VALID") {
    window.padding = {0, 0, 0, 0};
  } else if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    window.padding = SamePadding(window, data, auto_pad == "SAME_UPPER");
  } else {
    RefuseNode(fmt::format("auto_pad is \"{}\"; NOTSET, VALID, SAME_UPPER and SAME_LOWER are known", auto_pad));
  }
  for (const int64_t pad : window.padding) {
    if (pad > kMostPad) RefuseNode(fmt::format("a pad of {}; at most {} is supported", pad, kMostPad));
  }
  return window;
}

void PadToCeil(Window& window, const Shape& data) {
  for (size_t i = 0; i < 2; ++i) {
    const int64_t stride = window.strides[i];
    const int64_t begin = window.padding[i];
    const int64_t extent = (window.kernel[i] - 1) * window.dilation[i] + 1;
    const int64_t span = data[2 + i] + begin + window.padding[i + 2] - extent;
    if (span < 0) continue;
    int64_t outputs = (span + stride - 1) / stride + 1;
    if ((outputs - 1) * stride >= data[2 + i] + begin) --outputs;
    window.padding[i + 2] = std::max(window.padding[i + 2], window.padding[i + 2] + (outputs - 1) * stride - span);
  }
}

}  // namespace hone
