// Pools over windows and over whole planes, and the reverse of a max pool with positions.
#include "compiler/ops/pool/onnx.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/frontend/onnx/onnx_node_view.h"
#include "compiler/frontend/onnx/window.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Ints = std::vector<int64_t>;

// For each tap and result, the element of the plane that the tap sees (`outside` in the padding), and its index.
struct Seen {
  Shape results;  // height, width
  int64_t taps = 0, places = 0;
  Ints from, index;
};

Seen SeenBy(const OnnxNodeView& view, const Shape& data, const Window& w, bool by_columns) {
  Seen seen;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t span = data[2 + d] + w.padding[d] + w.padding[d + 2] - (w.kernel[d] - 1) * w.dilation[d] - 1;
    if (span < 0) RefuseNode(fmt::format("a window of {} does not fit {}", ShapeText(w.kernel), ShapeText(data)));
    seen.results.push_back(span / w.strides[d] + 1);
  }
  seen.taps = w.kernel[0] * w.kernel[1];
  seen.places = ElementCount(seen.results);
  if (seen.taps > kMostPlaces || seen.places > kMostPlaces) {
    RefuseNode(fmt::format("windows of {} on {}", ShapeText(w.kernel), ShapeText(data)));
  }
  view.builder().Spend(seen.taps * seen.places * 16);
  const int64_t height = data[2], width = data[3], outside = height * width;
  for (int64_t tap = 0; tap < seen.taps; ++tap) {
    for (int64_t place = 0; place < seen.places; ++place) {
      const int64_t row = place / seen.results[1] * w.strides[0] + tap / w.kernel[1] * w.dilation[0] - w.padding[0];
      const int64_t column = place % seen.results[1] * w.strides[1] + tap % w.kernel[1] * w.dilation[1] - w.padding[1];
      const bool inside = row >= 0 && row < height && column >= 0 && column < width;
      seen.from.push_back(inside ? row * width + column : outside);
      seen.index.push_back(!inside ? 0 : by_columns ? column * height + row : row * width + column);
    }
  }
  return seen;
}

// The beginning of each plane: 0, H * W, 2 * H * W, ...
ExprPtr PlaneBegins(const OnnxNodeView& view, const Shape& data) {
  const int64_t planes = data[0] * data[1];
  Tensor size(DType::kInt64, {});
  size.Set(0, static_cast<double>(data[2] * data[3]));
  const ExprPtr begins = view.Call("multiply", {Positions(planes, 0, 1), relay::MakeConstant(size)});
  return view.Reshape(begins, {data[0], data[1], 1, 1});
}

// The largest float32 element of `data` (N, C, H, W) in each window, and the position of the first one. The position is
// an int64 in all of the data's memory. With storage_order=1 planes count column by column. No window may lie wholly in
// its padding. Throws Error(kBadData).
std::vector<ExprPtr> PoolWithIndices(const OnnxNodeView& view, const ExprPtr& data, const Window& window) {
  const Shape shape = view.builder().ShapeOf(data);
  const Seen seen = SeenBy(view, shape, window, view.Int("storage_order", 0) != 0);
  const auto table = [&](const Ints& values) {
    return relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {seen.taps, seen.places}, values));
  };
  const ExprPtr flat = view.Reshape(data, {shape[0], shape[1], shape[2] * shape[3]});
  const ExprPtr bordered =
      view.Call("nn.pad", {flat},
                {{"pad_width", Ints{0, 0, 0, 0, 0, 1}}, {"pad_value", -std::numeric_limits<double>::infinity()}});
  // Shape: N, C, taps, results.
  const ExprPtr taken = view.Call("take", {bordered, table(seen.from)}, {{"axis", int64_t{2}}});
  const ExprPtr best = view.Call("argmax", {taken}, {{"axis", int64_t{2}}, {"keepdims", true}});
  const ExprPtr indices =
      view.Call("broadcast_to", {table(seen.index)}, {{"shape", Shape{shape[0], shape[1], seen.taps, seen.places}}});
  const ExprPtr within = view.Call("gather", {indices, best}, {{"axis", int64_t{2}}});
  const Shape result{shape[0], shape[1], seen.results[0], seen.results[1]};
  return {view.Reshape(view.Call("max", {taken}, {{"axis", Ints{2}}, {"keepdims", false}}), result),
          view.Reshape(view.Call("add", {within, PlaneBegins(view, shape)}), result)};
}

// Rounding up is expressed as padding.
Window PoolWindow(const OnnxNodeView& view, size_t spatial = 2) {
  if (!view.HasAttr("kernel_shape")) RefuseNode("kernel_shape is missing");
  Window window = ReadWindow(view, {}, spatial);
  if (view.Int("ceil_mode", 0) == 0) return window;
  for (size_t i = 0; i < spatial; ++i) {
    if (window.strides[i] > 1 && IsCounted(view.builder(), view.Input(0), static_cast<int64_t>(i) + 2)) {
      RefuseNode(fmt::format("ceil_mode with a stride along axis {}, whose extent is counted in a run", i + 2));
    }
  }
  PadToCeil(window, view.InputShape(0));
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
  for (int64_t d = 2; d < view.InputRank(0); ++d) {
    if (IsCounted(view.builder(), view.Input(0), d)) RefuseNode("indices of places whose extents are counted in a run");
  }
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

// The shape of the pool's input.
Shape UnpooledShape(const OnnxNodeView& view) {
  Shape shape = view.InputShape(0);
  const size_t axes = shape.size() < 2 ? 0 : shape.size() - 2;
  const Ints kernel = view.Ints("kernel_shape", {}), strides = view.Ints("strides", Ints(axes, 1));
  const Ints pads = view.Ints("pads", Ints(2 * axes, 0));
  if (axes == 0 || kernel.size() != axes || strides.size() != axes || pads.size() != 2 * axes) {
    RefuseNode(fmt::format("kernel_shape, strides and pads must have a number for each of {} spatial axes", axes));
  }
  for (size_t d = 0; d < axes; ++d) {
    for (const int64_t n : {kernel[d], strides[d], pads[d], pads[d + axes], shape[d + 2]}) {
      if (n < 0 || n > kMaxWindow) RefuseNode(fmt::format("a window holds {}", n));
    }
    shape[d + 2] = (shape[d + 2] - 1) * strides[d] - pads[d] - pads[d + axes] + kernel[d];
    if (shape[d + 2] < 1) RefuseNode(fmt::format("nothing is left of axis {}", d + 2));
  }
  if (ElementCount(shape) > kMostPlaces) RefuseNode(fmt::format("a result of {} is too large", ShapeText(shape)));
  return shape;
}

// A requested shape adds zeros at the ends.
ExprPtr Grown(const OnnxNodeView& view, const ExprPtr& data, const Shape& wanted) {
  const Shape shape = view.builder().ShapeOf(data);
  bool fits = wanted.size() == shape.size();
  Ints pads;
  for (size_t d = 0; fits && d < shape.size(); ++d) {
    fits = wanted[d] >= shape[d] && wanted[d] <= kMaxWindow;
    pads.push_back(0);
    pads.push_back(wanted[d] - shape[d]);
  }
  if (!fits) RefuseNode(fmt::format("output_shape is {}, {} is the least", ShapeText(wanted), ShapeText(shape)));
  return wanted == shape ? data : view.Call("nn.pad", {data}, {{"pad_width", pads}});
}

// Elements at the positions where a pool found them, and zeros elsewhere.
std::vector<ExprPtr> MaxUnpool(const OnnxNodeView& view) {
  if (view.InputShape(1) != view.InputShape(0)) {
    RefuseNode(fmt::format("indices {} for data {}", ShapeText(view.InputShape(1)), ShapeText(view.InputShape(0))));
  }
  const Shape shape = UnpooledShape(view);
  const auto wanted = view.InputInts(2, "output_shape");
  const int64_t found = ElementCount(view.InputShape(0)), all = ElementCount(shape);
  const DType dtype = view.builder().DTypeOf(view.Input(0));
  view.builder().Spend(all * DTypeBytes(dtype));
  const ExprPtr zeros = relay::MakeConstant(Tensor(dtype, {all}));
  const ExprPtr laid =
      view.Call("scatter_elements", {zeros, view.Reshape(view.Input(1), {found}), view.Reshape(view.Input(0), {found})},
                {{"axis", int64_t{0}}, {"reduction", std::string("update")}});
  const ExprPtr result = view.Reshape(laid, shape);
  return {wanted ? Grown(view, result, *wanted) : result};
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
  return {{"MaxPool",
           1,
           1,
           MaxPool,
           {"auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides"},
           {.becomes = "add argmax gather max nn.max_pool2d nn.max_pool3d nn.pad reshape take", .takes_counts = true}},
          {"AveragePool",
           1,
           1,
           AveragePool,
           {"auto_pad", "ceil_mode", "count_include_pad", "dilations", "kernel_shape", "pads", "strides"},
           {.becomes = "nn.avg_pool2d nn.avg_pool3d nn.pad reshape", .takes_counts = true}},
          {"LpPool",
           1,
           1,
           LpPool,
           {"auto_pad", "ceil_mode", "dilations", "kernel_shape", "p", "pads", "strides"},
           {.becomes = "multiply nn.avg_pool2d power sqrt"}},
          {"GlobalLpPool",
           1,
           1,
           GlobalLpPool,
           {"p"},
           {.becomes = "abs mean multiply nn.global_avg_pool2d nn.global_avg_pool3d power sqrt"}},
          {"GlobalAveragePool",
           1,
           1,
           GlobalAveragePool,
           {},
           {.becomes = "nn.global_avg_pool2d nn.global_avg_pool3d", .takes_counts = true}},
          {"GlobalMaxPool", 1, 1, GlobalMaxPool, {}, {.becomes = "max", .takes_counts = true}},
          {"MaxUnpool",
           2,
           3,
           MaxUnpool,
           {"kernel_shape", "pads", "strides"},
           {.becomes = "nn.pad reshape scatter_elements"}}};
}

}  // namespace hone
