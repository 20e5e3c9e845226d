// Pools over windows and over whole planes.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/frontend/onnx/as_planes.h"
#include "compiler/frontend/onnx/cast_target.h"
#include "compiler/frontend/onnx/scalar_like.h"
#include "compiler/frontend/onnx/window.h"
#include "compiler/ops/onnx_families.h"
#include "compiler/ops/pool/onnx_indices.h"

namespace hone {
namespace {

using relay::ExprPtr;

// Rounding up is expressed as padding.
Window PoolWindow(const OnnxNodeView& view, size_t spatial = 2) {
  if (!view.HasAttr("kernel_shape")) RefuseNode("kernel_shape is missing");
  Window window = ReadWindow(view, {}, spatial);
  if (view.Int("ceil_mode", 0) != 0) PadToCeil(window, view.InputShape(0));
  return window;
}

relay::Attrs PoolAttrs(const Window& window) {
  return {{"pool_size", window.kernel},
          {"strides", window.strides},
          {"dilation", window.dilation},
          {"padding", window.padding}};
}

// Floats hold 8-bit integers, and kernels pool floats.
std::vector<ExprPtr> MaxPoolOver(const OnnxNodeView& view, size_t spatial) {
  const DType dtype = view.builder().DTypeOf(view.Input(0));
  const ExprPtr real = AsDType(view, view.Input(0), DType::kFloat32);
  const char* op = spatial == 2 ? "nn.max_pool2d" : "nn.max_pool3d";
  return {AsDType(view, view.Call(op, {real}, PoolAttrs(PoolWindow(view, spatial))), dtype)};
}

std::vector<ExprPtr> MaxPool2d(const OnnxNodeView& view) {
  const std::vector<std::string>& outputs = view.node().outputs;
  if (outputs.size() < 2 || outputs[1].empty()) return MaxPoolOver(view, 2);
  const DType dtype = view.builder().DTypeOf(view.Input(0));
  const ExprPtr real = AsDType(view, view.Input(0), DType::kFloat32);
  std::vector<ExprPtr> results = PoolWithIndices(view, real, PoolWindow(view));
  results[0] = AsDType(view, results[0], dtype);
  return results;
}

std::vector<ExprPtr> AveragePool2d(const OnnxNodeView& view) { return {Averaged(view, view.Input(0))}; }

// (sum |x|^p)^(1/p), from the averages of `count` elements each that a pool gives.
template <typename Average>
ExprPtr RootOfPowers(const OnnxNodeView& view, int64_t count, const Average& average) {
  const int64_t p = view.Int("p", 2);
  if (p < 1) RefuseNode(fmt::format("p is {}, it must be 1 or more", p));
  const ExprPtr& x = view.Input(0);
  const ExprPtr magnitude = p % 2 == 0 ? x : view.Call("abs", {x});
  const double exponent = static_cast<double>(p);
  const ExprPtr powers = p == 1 ? magnitude : WithScalar(view, "power", magnitude, exponent);
  const ExprPtr sum = WithScalar(view, "multiply", average(powers), static_cast<double>(count));
  return p == 1 ? sum : p == 2 ? view.Call("sqrt", {sum}) : WithScalar(view, "power", sum, 1 / exponent);
}

// Padding adds nothing to a sum, so it may count.
std::vector<ExprPtr> LpPool2d(const OnnxNodeView& view) {
  const Window window = PoolWindow(view);
  relay::Attrs attrs = PoolAttrs(window);
  attrs.Set("count_include_pad", true);
  return {RootOfPowers(view, window.kernel[0] * window.kernel[1],
                       [&](const ExprPtr& powers) { return view.Call("nn.avg_pool2d", {powers}, attrs); })};
}

std::vector<ExprPtr> MaxPool(const OnnxNodeView& view) {
  return view.InputRank(0) == 5 ? MaxPoolOver(view, 3) : AsPlanes(view, MaxPool2d);
}

std::vector<ExprPtr> AveragePool(const OnnxNodeView& view) {
  if (view.InputRank(0) != 5) return AsPlanes(view, AveragePool2d);
  return {Averaged(view, view.Input(0), 3)};
}

std::vector<ExprPtr> LpPool(const OnnxNodeView& view) { return AsPlanes(view, LpPool2d); }

// Images, and means of volumes, have pools of their own; other cases are reductions over axes.
ExprPtr GlobalPool(const OnnxNodeView& view, const ExprPtr& data, std::string_view of_images, std::string_view op) {
  const int64_t rank = view.InputRank(0);
  if (rank < 3) RefuseNode(fmt::format("its data is {}; it needs a spatial dimension", ShapeText(view.InputShape(0))));
  if (rank == 4) return view.Call(of_images, {data});
  if (rank == 5 && op == "mean") return view.Call("nn.global_avg_pool3d", {data});
  std::vector<int64_t> axes(static_cast<size_t>(rank - 2));
  std::iota(axes.begin(), axes.end(), 2);
  return view.Call(op, {data}, {{"axis", axes}, {"keepdims", true}});
}

std::vector<ExprPtr> GlobalAveragePool(const OnnxNodeView& view) {
  return {GlobalPool(view, view.Input(0), "nn.global_avg_pool2d", "mean")};
}

std::vector<ExprPtr> GlobalMaxPool(const OnnxNodeView& view) {
  return {GlobalPool(view, view.Input(0), "nn.global_max_pool2d", "max")};
}

std::vector<ExprPtr> GlobalLpPool(const OnnxNodeView& view) {
  const Shape& shape = view.InputShape(0);
  const int64_t count = ElementCount(shape) / std::max<int64_t>(1, shape.size() < 2 ? 1 : shape[0] * shape[1]);
  return {RootOfPowers(
      view, count, [&](const ExprPtr& powers) { return GlobalPool(view, powers, "nn.global_avg_pool2d", "mean"); })};
}

}  // namespace

// Padding that counts becomes explicit zeros if rounding up adds further padding at the end, which does not count:
//
//    pads 1, kernel 2, stride 2, five elements     0 x | x x | x x | 0 .     the last mean is 0 / 1
ExprPtr Averaged(const OnnxNodeView& view, ExprPtr data, size_t spatial) {
  Window window = PoolWindow(view, spatial);
  bool counts_padding = view.Int("count_include_pad", 0) != 0;
  const std::vector<int64_t> given = ReadWindow(view, {}, spatial).padding;
  if (counts_padding && window.padding != given) {
    std::vector<int64_t> pads(4);
    for (size_t i = 0; i < 2 * spatial; ++i) {
      window.padding[i] -= given[i];
      // The beginning and end of each axis in turn.
      pads.push_back(given[i % 2 * spatial + i / 2]);
    }
    data = view.Call("nn.pad", {data}, {{"pad_width", pads}});
    counts_padding = false;
  }
  relay::Attrs attrs = PoolAttrs(window);
  attrs.Set("count_include_pad", counts_padding);
  return view.Call(spatial == 2 ? "nn.avg_pool2d" : "nn.avg_pool3d", {data}, std::move(attrs));
}

OnnxOperatorTable PoolingOperators() {
  return {
      {"MaxPool",
       1,
       1,
       MaxPool,
       {"auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"}},
      {"AveragePool",
       1,
       1,
       AveragePool,
       {"auto_pad", "ceil_mode", "count_include_pad", "dilations", "kernel_shape", "pads", "strides"}},
      {"LpPool", 1, 1, LpPool, {"auto_pad", "ceil_mode", "dilations", "kernel_shape", "p", "pads", "strides"}},
      {"GlobalLpPool", 1, 1, GlobalLpPool, {"p"}},
      {"GlobalAveragePool", 1, 1, GlobalAveragePool, {}},
      {"GlobalMaxPool", 1, 1, GlobalMaxPool, {}},
  };
}

}  // namespace hone
