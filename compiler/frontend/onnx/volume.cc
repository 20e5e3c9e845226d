#include "compiler/frontend/onnx/volume.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/frontend/onnx/window.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Ints = std::vector<int64_t>;

// Takes the depth's numbers out of an attribute that has `per_axis` of three axes; `otherwise` when it is absent.
Ints TakeDepth(OnnxNode& node, std::string_view name, size_t per_axis, int64_t otherwise) {
  for (auto& [given, attribute] : node.attributes) {
    if (given != name) continue;
    Ints& ints = attribute.ints;
    if (attribute.kind != OnnxAttribute::Kind::kInts || ints.size() != 3 * per_axis) {
      RefuseNode(fmt::format("{} must have {} numbers for three spatial dimensions", name, 3 * per_axis));
    }
    Ints depth;
    for (size_t i = per_axis; i-- > 0;) {
      depth.insert(depth.begin(), ints[3 * i]);
      ints.erase(ints.begin() + static_cast<int64_t>(3 * i));
    }
    const bool sane = std::all_of(depth.begin(), depth.end(), [](int64_t v) { return v >= 0 && v <= kMaxWindow; });
    if (!sane) RefuseNode(fmt::format("{} holds {}", name, depth[0]));
    return depth;
  }
  return Ints(per_axis, otherwise);
}

}  // namespace

Volume::Volume(const OnnxNodeView& view, int64_t kernel_depth, double border) : view_(view), plane_node_(view.node()) {
  if (view.Int("ceil_mode", 0) != 0) RefuseNode("ceil_mode is not supported over three spatial dimensions");
  ReadDepth(kernel_depth);
  ExprPtr data = view.Input(0);
  if (before_ + after_ > 0) {
    data = view.Call("nn.pad", {data},
                     {{"pad_width", Ints{0, 0, 0, 0, before_, after_, 0, 0, 0, 0}}, {"pad_value", border}});
  }
  slices_ = view.Call("transpose", {data}, {{"axes", Ints{0, 2, 1, 3, 4}}});
}

void Volume::ReadDepth(int64_t kernel_depth) {
  kernel_ = TakeDepth(plane_node_, "kernel_shape", 1, kernel_depth)[0];
  stride_ = TakeDepth(plane_node_, "strides", 1, 1)[0];
  dilation_ = TakeDepth(plane_node_, "dilations", 1, 1)[0];
  const Ints pads = TakeDepth(plane_node_, "pads", 2, 0);
  if (kernel_ < 1 || stride_ < 1 || dilation_ < 1 || (kernel_depth > 0 && kernel_ != kernel_depth)) {
    RefuseNode(fmt::format("a depth of {} in steps of {} is no window", kernel_, stride_));
  }
  const int64_t depth = view_.InputShape(0)[2], extent = (kernel_ - 1) * dilation_ + 1;
  const std::string auto_pad = view_.String("auto_pad", "NOTSET");
  if (auto_pad == "NOTSET") {
    before_ = pads[0];
    after_ = pads[1];
  } else if (auto_pad != "VALID") {
    const int64_t total = std::max<int64_t>(0, ((depth + stride_ - 1) / stride_ - 1) * stride_ + extent - depth);
    before_ = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
    after_ = total - before_;
  }
  if (depth + before_ + after_ < extent) RefuseNode(fmt::format("a window of depth {} does not fit {}", extent, depth));
  out_ = (depth + before_ + after_ - extent) / stride_ + 1;
}

ExprPtr Volume::Planes(int64_t tap) const {
  const Shape shape = view_.builder().ShapeOf(slices_);
  const int64_t first = tap * dilation_;
  const ExprPtr seen = view_.Call("strided_slice", {slices_},
                                  {{"begin", Ints{first}},
                                   {"end", Ints{first + (out_ - 1) * stride_ + 1}},
                                   {"strides", Ints{stride_}},
                                   {"axes", Ints{1}}});
  return view_.Reshape(seen, {shape[0] * out_, shape[2], shape[3], shape[4]});
}

ExprPtr Volume::OnPlanes(OnnxConvert convert, std::vector<ExprPtr> inputs) const {
  return convert(OnnxNodeView(plane_node_, view_.opset(), std::move(inputs), view_.builder()))[0];
}

ExprPtr Volume::Joined(const ExprPtr& planes) const {
  const Shape shape = view_.builder().ShapeOf(planes);
  const ExprPtr slices = view_.Reshape(planes, {view_.InputShape(0)[0], out_, shape[1], shape[2], shape[3]});
  return view_.Call("transpose", {slices}, {{"axes", Ints{0, 2, 1, 3, 4}}});
}

}  // namespace hone
