// Conv and ConvTranspose.
#include <fmt/format.h>

#include "compiler/frontend/onnx/as_planes.h"
#include "compiler/frontend/onnx/onnx_operators.h"
#include "compiler/frontend/onnx/volume.h"
#include "compiler/frontend/onnx/window.h"

namespace hone {
namespace {

using relay::ExprPtr;

void CheckWeight(const OnnxNodeView& view) {
  if (view.InputRank(1) != 4) {
    RefuseNode(
        fmt::format("its weight is {}; only two spatial dimensions are supported", ShapeText(view.InputShape(1))));
  }
}

int64_t Groups(const OnnxNodeView& view) {
  const int64_t groups = view.Int("group", 1);
  if (groups < 1 || groups > kMaxWindow) RefuseNode(fmt::format("group is {}", groups));
  return groups;
}

ExprPtr AddBias(const OnnxNodeView& view, const ExprPtr& conv) {
  return view.HasInput(2) ? view.Call("nn.bias_add", {conv, view.Input(2)}) : conv;
}

std::vector<ExprPtr> Conv2d(const OnnxNodeView& view) {
  CheckWeight(view);
  const Shape& weight = view.InputShape(1);
  const Window window = ReadWindow(view, {weight[2], weight[3]});
  const ExprPtr conv = view.Call("nn.conv2d", {view.Input(0), view.Input(1)},
                                 {{"strides", window.strides},
                                  {"padding", window.padding},
                                  {"dilation", window.dilation},
                                  {"groups", Groups(view)},
                                  {"channels", weight[0]},
                                  {"kernel_size", window.kernel}});
  return {AddBias(view, conv)};
}

// The padding that gives `output_shape`: ONNX spreads the excess over both ends, the odd one at the beginning unless
// auto_pad is SAME_UPPER.
void PadToShape(const OnnxNodeView& view, const std::vector<int64_t>& wanted, const std::vector<int64_t>& extra,
                Window& window) {
  const bool upper = view.String("auto_pad", "NOTSET") == "SAME_UPPER";
  for (size_t i = 0; i < 2; ++i) {
    const int64_t full = (view.InputShape(0)[2 + i] - 1) * window.strides[i] + extra[i] +
                         (window.kernel[i] - 1) * window.dilation[i] + 1;
    if (wanted[i] < 1 || wanted[i] > full) {
      RefuseNode(fmt::format("an output of {} cannot be; 1 to {} can", wanted[i], full));
    }
    const int64_t total = full - wanted[i];
    window.padding[i] = upper ? total / 2 : total - total / 2;
    window.padding[i + 2] = total - window.padding[i];
  }
}

std::vector<ExprPtr> ConvTranspose2d(const OnnxNodeView& view) {
  CheckWeight(view);
  const Shape& weight = view.InputShape(1);  // I, O / groups, KH, KW
  Window window = ReadWindow(view, {weight[2], weight[3]});
  const int64_t groups = Groups(view);
  const std::vector<int64_t> extra = view.Ints("output_padding", {0, 0});
  std::vector<int64_t> wanted = view.Ints("output_shape", {});
  const auto fits = [](int64_t pad) { return pad >= 0 && pad <= kMaxWindow; };
  if (extra.size() != 2 || !fits(extra[0]) || !fits(extra[1]))
    RefuseNode("output_padding must be two numbers, 0 or more");
  if (wanted.size() == 4) wanted.erase(wanted.begin(), wanted.begin() + 2);
  const bool same = view.String("auto_pad", "NOTSET").rfind("SAME", 0) == 0;
  if (wanted.empty() && same) {
    wanted = {view.InputShape(0)[2] * window.strides[0], view.InputShape(0)[3] * window.strides[1]};
  }
  if (!wanted.empty() && wanted.size() != 2) RefuseNode("output_shape must have two numbers");
  if (!wanted.empty()) PadToShape(view, wanted, extra, window);
  const ExprPtr conv = view.Call("nn.conv2d_transpose", {view.Input(0), view.Input(1)},
                                 {{"strides", window.strides},
                                  {"padding", window.padding},
                                  {"dilation", window.dilation},
                                  {"output_padding", extra},
                                  {"groups", groups},
                                  {"channels", weight[1] * groups},
                                  {"kernel_size", window.kernel}});
  return {AddBias(view, conv)};
}

// The sum over the taps along the depth of a convolution of planes each.
ExprPtr Conv3d(const OnnxNodeView& view) {
  using Ints = std::vector<int64_t>;
  if (view.InputRank(1) != 5) RefuseNode(fmt::format("its weight is {}, not of 5 dims", ShapeText(view.InputShape(1))));
  const Shape weight = view.InputShape(1);
  const Volume volume(view, weight[2], 0);
  ExprPtr sum;
  for (int64_t tap = 0; tap < volume.taps(); ++tap) {
    const ExprPtr part =
        view.Call("strided_slice", {view.Input(1)},
                  {{"begin", Ints{tap}}, {"end", Ints{tap + 1}}, {"strides", Ints{1}}, {"axes", Ints{2}}});
    const ExprPtr filter = view.Reshape(part, {weight[0], weight[1], weight[3], weight[4]});
    const ExprPtr planes = volume.OnPlanes(Conv2d, {volume.Planes(tap), filter});
    sum = sum ? view.Call("add", {planes, sum}) : planes;
  }
  return volume.Joined(AddBias(view, sum));
}

std::vector<ExprPtr> Conv(const OnnxNodeView& view) {
  if (view.InputRank(0) == 5) return {Conv3d(view)};
  return AsPlanes(view, Conv2d);
}
std::vector<ExprPtr> ConvTranspose(const OnnxNodeView& view) { return AsPlanes(view, ConvTranspose2d); }

}  // namespace

OnnxOperatorTable ConvolutionOperators() {
  return {
      {"Conv", 2, 3, Conv, {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}},
      {"ConvTranspose",
       2,
       3,
       ConvTranspose,
       {"auto_pad", "dilations", "group", "kernel_shape", "output_padding", "output_shape", "pads", "strides"}},
  };
}

}  // namespace hone
