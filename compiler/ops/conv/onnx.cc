// Conv and ConvTranspose.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/frontend/onnx/window.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

void CheckWeight(const OnnxNodeView& view, size_t spatial) {
  if (view.InputRank(1) == static_cast<int64_t>(spatial) + 2) return;
  const std::string weight = ShapeText(view.InputShape(1));
  if (spatial == 2) RefuseNode(fmt::format("its weight is {}; only two spatial dimensions are supported", weight));
  RefuseNode(fmt::format("its weight is {}, its data {}", weight, ShapeText(view.InputShape(0))));
}

int64_t Groups(const OnnxNodeView& view) {
  const int64_t groups = view.Int("group", 1);
  if (groups < 1 || groups > kMaxWindow) RefuseNode(fmt::format("group is {}", groups));
  return groups;
}

ExprPtr AddBias(const OnnxNodeView& view, const ExprPtr& conv) {
  return view.HasInput(2) ? view.Call("nn.bias_add", {conv, view.Input(2)}) : conv;
}

std::vector<ExprPtr> ConvOver(const OnnxNodeView& view, size_t spatial) {
  CheckWeight(view, spatial);
  const Shape& weight = view.InputShape(1);
  const Window window = ReadWindow(view, {weight.begin() + 2, weight.end()}, spatial);
  const ExprPtr conv = view.Call(spatial == 2 ? "nn.conv2d" : "nn.conv3d", {view.Input(0), view.Input(1)},
                                 {{"strides", window.strides},
                                  {"padding", window.padding},
                                  {"dilation", window.dilation},
                                  {"groups", Groups(view)},
                                  {"channels", weight[0]},
                                  {"kernel_size", window.kernel}});
  return {AddBias(view, conv)};
}

std::vector<ExprPtr> Conv2d(const OnnxNodeView& view) { return ConvOver(view, 2); }

// Sets the padding that gives `wanted` extents. ONNX spreads the excess over both ends, with an odd one at the
// beginning unless auto_pad is SAME_UPPER. If they exceed the reach of the windows, positions without a tap lie at the
// end, as with output_padding.
void PadToShape(const OnnxNodeView& view, const std::vector<int64_t>& wanted, Window& window,
                std::vector<int64_t>& extra) {
  const bool upper = view.String("auto_pad", "NOTSET") == "SAME_UPPER";
  const size_t spatial = wanted.size();
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t full = (view.InputShape(0)[2 + i] - 1) * window.strides[i] + extra[i] +
                         (window.kernel[i] - 1) * window.dilation[i] + 1;
    if (wanted[i] < 1 || wanted[i] > full + kMaxWindow) {
      RefuseNode(fmt::format("an output of {} cannot be; 1 to {} can", wanted[i], full + kMaxWindow));
    }
    const int64_t total = std::max<int64_t>(0, full - wanted[i]);
    extra[i] += std::max<int64_t>(0, wanted[i] - full);
    window.padding[i] = upper ? total / 2 : total - total / 2;
    window.padding[i + spatial] = total - window.padding[i];
  }
}

// The extents that the node demands of its result; empty if it does not.
std::vector<int64_t> WantedExtents(const OnnxNodeView& view, const std::vector<int64_t>& strides) {
  const size_t spatial = strides.size();
  std::vector<int64_t> wanted = view.Ints("output_shape", {});
  if (wanted.size() == spatial + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (wanted.empty() && view.String("auto_pad", "NOTSET").rfind("SAME", 0) == 0) {
    for (size_t i = 0; i < spatial; ++i) wanted.push_back(view.InputShape(0)[2 + i] * strides[i]);
  }
  if (!wanted.empty() && wanted.size() != spatial) {
    RefuseNode(fmt::format("output_shape must have {} numbers", spatial));
  }
  return wanted;
}

std::vector<ExprPtr> ConvTransposeOver(const OnnxNodeView& view, size_t spatial) {
  CheckWeight(view, spatial);
  const Shape& weight = view.InputShape(1);  // I, O / groups, [KD,] KH, KW
  Window window = ReadWindow(view, {weight.begin() + 2, weight.end()}, spatial);
  const int64_t groups = Groups(view);
  std::vector<int64_t> extra = view.Ints("output_padding", std::vector<int64_t>(spatial, 0));
  const auto fits = [](int64_t pad) { return pad >= 0 && pad <= kMaxWindow; };
  if (extra.size() != spatial || !std::all_of(extra.begin(), extra.end(), fits)) {
    RefuseNode(fmt::format("output_padding must be {} numbers, 0 or more", spatial));
  }
  const std::vector<int64_t> wanted = WantedExtents(view, window.strides);
  for (size_t i = 0; i < (wanted.empty() ? 0 : spatial); ++i) {
    if (IsCounted(view.builder(), view.Input(0), static_cast<int64_t>(i) + 2)) {
      RefuseNode(fmt::format("a demanded extent beside axis {}, whose extent is counted in a run", i + 2));
    }
  }
  if (!wanted.empty()) PadToShape(view, wanted, window, extra);
  const ExprPtr conv =
      view.Call(spatial == 2 ? "nn.conv2d_transpose" : "nn.conv3d_transpose", {view.Input(0), view.Input(1)},
                {{"strides", window.strides},
                 {"padding", window.padding},
                 {"dilation", window.dilation},
                 {"output_padding", extra},
                 {"groups", groups},
                 {"channels", weight[1] * groups},
                 {"kernel_size", window.kernel}});
  return {AddBias(view, conv)};
}

std::vector<ExprPtr> ConvTranspose2d(const OnnxNodeView& view) { return ConvTransposeOver(view, 2); }

std::vector<ExprPtr> Conv(const OnnxNodeView& view) {
  return view.InputRank(0) == 5 ? ConvOver(view, 3) : AsPlanes(view, Conv2d);
}
std::vector<ExprPtr> ConvTranspose(const OnnxNodeView& view) {
  return view.InputRank(0) == 5 ? ConvTransposeOver(view, 3) : AsPlanes(view, ConvTranspose2d);
}

}  // namespace

OnnxOperatorTable ConvolutionOperators() {
  return {
      {"Conv",
       2,
       3,
       Conv,
       {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"},
       {.becomes = "nn.bias_add nn.conv2d nn.conv3d reshape", .takes_counts = true}},
      {"ConvTranspose",
       2,
       3,
       ConvTranspose,
       {"auto_pad", "dilations", "group", "kernel_shape", "output_padding", "output_shape", "pads", "strides"},
       {.becomes = "nn.conv2d_transpose nn.conv3d_transpose reshape", .takes_counts = true}},
  };
}

}  // namespace hone
