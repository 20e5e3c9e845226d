#include "compiler/frontend/onnx/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hone {
namespace {

using relay::ExprPtr;

// Adds the row's value to an attribute. `otherwise` is that value: a kernel of one, a stride of one, no padding.
void AddRow(OnnxNode& node, std::string_view name, int64_t otherwise) {
  for (auto& [given, attribute] : node.attributes) {
    if (given != name || attribute.kind != OnnxAttribute::Kind::kInts) continue;
    std::vector<int64_t>& ints = attribute.ints;
    if (name == "pads" && ints.size() == 2) {
      ints = {otherwise, ints[0], otherwise, ints[1]};
    } else if (ints.size() == 1) {
      ints.insert(ints.begin(), otherwise);
    }
  }
}

OnnxNode WithRow(OnnxNode node) {
  for (const char* name : {"kernel_shape", "strides", "dilations", "output_shape"}) AddRow(node, name, 1);
  for (const char* name : {"pads", "output_padding"}) AddRow(node, name, 0);
  return node;
}

ExprPtr WithRow(const OnnxNodeView& view, const ExprPtr& expr) {
  if (expr == nullptr || view.builder().ShapeOf(expr).size() != 3) return expr;
  Shape shape = view.builder().ShapeOf(expr);
  shape.insert(shape.begin() + 2, 1);
  return view.Reshape(expr, shape);
}

}  // namespace

std::vector<ExprPtr> AsPlanes(const OnnxNodeView& view, OnnxConvert convert) {
  if (view.InputRank(0) != 3) return convert(view);
  const OnnxNode node = WithRow(view.node());
  std::vector<ExprPtr> inputs = view.inputs();
  for (ExprPtr& input : inputs) input = WithRow(view, input);
  std::vector<ExprPtr> results = convert(OnnxNodeView(node, view.opset(), std::move(inputs), view.builder()));
  for (ExprPtr& result : results) {
    Shape shape = view.builder().ShapeOf(result);
    shape.erase(shape.begin() + 2);
    result = view.Reshape(result, shape);
  }
  return results;
}

namespace {

// Kernels have code for each position that a pad reaches. More would take seconds to compile, and the largest
// gigabytes.
constexpr int64_t kMostPad = 65536;

std::vector<int64_t> ReadInts(const OnnxNodeView& view, std::string_view name, size_t count, int64_t least,
                              std::vector<int64_t> otherwise) {
  std::vector<int64_t> values = view.Ints(name, std::move(otherwise));
  if (values.size() != count) {
    RefuseNode(fmt::format("{} has {} numbers; {} spatial dimensions need {}", name, values.size(),
                           view.InputRank(0) - 2, count));
  }
  for (const int64_t value : values) {
    if (value < least || value > kMaxWindow) RefuseNode(fmt::format("{} holds {}", name, value));
  }
  return values;
}

// SAME: ceil(input / stride) outputs; an odd rest goes to the end (upper) or to the beginning (lower).
std::vector<int64_t> SamePadding(const Window& window, const Shape& data, bool upper) {
  const size_t spatial = window.kernel.size();
  std::vector<int64_t> padding(2 * spatial);
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t size = data[2 + i];
    const int64_t outputs = (size + window.strides[i] - 1) / window.strides[i];
    const int64_t extent = (window.kernel[i] - 1) * window.dilation[i] + 1;
    const int64_t total = std::max<int64_t>(0, (outputs - 1) * window.strides[i] + extent - size);
    padding[i] = upper ? total / 2 : total - total / 2;
    padding[spatial + i] = total - padding[i];
  }
  return padding;
}

void CheckData(const Shape& data, size_t spatial) {
  if (data.size() != spatial + 2) {
    RefuseNode(fmt::format("its data is {}; only {} are supported", ShapeText(data),
                           spatial == 2 ? "two spatial dimensions (N,C,H,W)" : "three (N,C,D,H,W)"));
  }
  for (size_t d = 2; d < data.size(); ++d) {
    if (data[d] > kMaxWindow) RefuseNode(fmt::format("its data of {} are too large", ShapeText(data)));
  }
}

std::vector<int64_t> PaddingOf(const OnnxNodeView& view, const Window& window) {
  const std::vector<int64_t> none(2 * window.kernel.size(), 0);
  const std::string auto_pad = view.String("auto_pad", "NOTSET");
  if (auto_pad == "NOTSET") return ReadInts(view, "pads", none.size(), 0, none);
  if (auto_pad == "VALID") return none;
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    for (size_t i = 0; i < window.strides.size(); ++i) {
      if (window.strides[i] > 1 && IsCounted(view.builder(), view.Input(0), static_cast<int64_t>(i) + 2)) {
        RefuseNode(
            fmt::format("auto_pad {} with a stride along axis {}, whose extent is counted in a run", auto_pad, i + 2));
      }
    }
    return SamePadding(window, view.InputShape(0), auto_pad == "SAME_UPPER");
  }
  RefuseNode(fmt::format("auto_pad is \"{}\"; NOTSET, VALID, SAME_UPPER and SAME_LOWER are known", auto_pad));
}

}  // namespace

Window ReadWindow(const OnnxNodeView& view, const std::vector<int64_t>& kernel, size_t spatial) {
  CheckData(view.InputShape(0), spatial);
  Window window;
  window.kernel = ReadInts(view, "kernel_shape", spatial, 1, kernel);
  if (!kernel.empty() && kernel != window.kernel) {
    RefuseNode(fmt::format("kernel_shape is {}, the weight's is {}", ShapeText(window.kernel), ShapeText(kernel)));
  }
  const std::vector<int64_t> ones(spatial, 1);
  window.strides = ReadInts(view, "strides", spatial, 1, ones);
  window.dilation = ReadInts(view, "dilations", spatial, 1, ones);
  window.padding = PaddingOf(view, window);
  for (const int64_t pad : window.padding) {
    if (pad > kMostPad) RefuseNode(fmt::format("a pad of {}; at most {} is supported", pad, kMostPad));
  }
  return window;
}

void PadToCeil(Window& window, const Shape& data) {
  const size_t spatial = window.kernel.size();
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t stride = window.strides[i];
    const int64_t begin = window.padding[i];
    int64_t& end = window.padding[spatial + i];
    const int64_t extent = (window.kernel[i] - 1) * window.dilation[i] + 1;
    const int64_t span = data[2 + i] + begin + end - extent;
    if (span <= -stride) continue;  // no window
    int64_t outputs = (span + stride - 1) / stride + 1;
    if ((outputs - 1) * stride >= data[2 + i] + begin) --outputs;
    end = std::max(end, end + (outputs - 1) * stride - span);
  }
}

}  // namespace hone
