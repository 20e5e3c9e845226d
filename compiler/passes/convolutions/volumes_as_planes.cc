#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>

#include "compiler/passes/convolutions/along_depth.h"
#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/passes/convolutions/transposed_phases.h"
#include "compiler/passes/graph/transposes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "core/error.h"

namespace hone {

using relay::Attrs;
using relay::Call;
using relay::ExprPtr;
using Ints = std::vector<int64_t>;

namespace {

// The window along the depth, which operators on planes do not know. `before` is negative if the first planes are left
// out.
struct Depth {
  int64_t in, taps, stride, dilation, before, after, results;

  // The element that a tap of a result sees. In the padding it is negative, or at least `in`.
  int64_t Seen(int64_t result, int64_t tap) const { return result * stride - before + tap * dilation; }
  // Number of planes that must follow the data so that the last window stays within them.
  int64_t behind() const { return std::max<int64_t>(0, Seen(results - 1, taps - 1) + 1 - in); }
};

Depth DepthOf(const Call& call, int64_t taps) {
  const Ints padding = call.attrs.GetInts("padding");
  return {ShapeOf(call.args[0])[2],
          taps,
          call.attrs.GetInts("strides")[0],
          call.attrs.GetInts("dilation")[0],
          padding[0],
          padding[3],
          call.type->shape[2]};
}

// The call's attributes without the depth's entries.
Attrs OnPlanes(const Call& call, const char* size) {
  Attrs attrs = call.attrs;
  for (const char* name : {size, "strides", "dilation", "padding", "output_padding"}) {
    if (call.attrs.Find(name) == nullptr) continue;
    Ints list = attrs.GetInts(name);
    if (list.size() == 6) list.erase(list.begin() + 3);
    if (!list.empty()) list.erase(list.begin());
    attrs.Set(name, list);
  }
  return attrs;
}

// The call if it is one of the operator, else null. Throws Error(kBadData) if its shapes are not known.
const Call* AsVolumeCall(const ExprPtr& node, std::string_view op) {
  const Call* call = relay::AsCallTo(node, op);
  if (call == nullptr || (IsStatic(ShapeOf(call->args[0])) && IsStatic(call->type->shape))) return call;
  throw Error(ExitCode::kBadData,
              fmt::format("node {}: the shape of a volume must be known", call->name.empty() ? op : call->name));
}

// The data of a window over volumes, plane by plane.
class Planes {
 public:
  // Planes outside the depth are filled with `border`.
  Planes(const Call& call, const Depth& depth, double border) : call_(call), depth_(depth) {
    ExprPtr data = call.args[0];
    const int64_t ahead = std::max<int64_t>(0, depth.before);
    if (ahead + depth.behind() > 0) {
      const Ints width{0, 0, 0, 0, ahead, depth.behind(), 0, 0, 0, 0};
      data = Made("nn.pad", {data}, {{"pad_width", width}, {"pad_value", border}});
    }
    slices_ = Made("transpose", {data}, {{"axes", DepthFirst()}});
  }

  // The planes that a tap sees, for all results: (N * results, C, H, W).
  ExprPtr SeenBy(int64_t tap) const {
    const int64_t first = tap * depth_.dilation + std::max<int64_t>(0, -depth_.before);
    const ExprPtr seen = Made("strided_slice", {slices_},
                              {{"begin", Ints{first}},
                               {"end", Ints{first + (depth_.results - 1) * depth_.stride + 1}},
                               {"strides", Ints{depth_.stride}},
                               {"axes", Ints{1}}});
    const Shape& shape = ShapeOf(slices_);
    return Made("reshape", {seen}, {{"newshape", Ints{shape[0] * depth_.results, shape[2], shape[3], shape[4]}}});
  }

  // Turns planes of results back into volumes.
  ExprPtr Joined(const ExprPtr& planes) const {
    const Shape& plane = ShapeOf(planes);
    const Ints slices{ShapeOf(slices_)[0], depth_.results, plane[1], plane[2], plane[3]};
    return Made("transpose", {Made("reshape", {planes}, {{"newshape", slices}})}, {{"axes", DepthFirst()}});
  }

  ExprPtr Made(const char* op, std::vector<ExprPtr> args, Attrs attrs = {}) const {
    return TypedCall(op, std::move(args), std::move(attrs), call_.name);
  }

 private:
  const Call& call_;
  Depth depth_;
  ExprPtr slices_;  // N, depth with its border, C, H, W
};

// The products of a window along the depth: `op` of planes with the weight's parts, whose order in the window is
// `taps`.
struct TapProduct {
  const char* op;
  const Call& conv;
  Ints taps;

  // The weight's axis of inputs, which is first if the convolution is transposed.
  size_t input_axis() const { return op == std::string_view("nn.conv2d") ? 1 : 0; }
};

ExprPtr TapFilter(const TapProduct& of, const Planes& planes, int64_t tap) {
  const Shape weight = ShapeOf(of.conv.args[1]);
  const ExprPtr part =
      planes.Made("strided_slice", {of.conv.args[1]},
                  {{"begin", Ints{tap}}, {"end", Ints{tap + 1}}, {"strides", Ints{1}}, {"axes", Ints{2}}});
  return planes.Made("reshape", {part}, {{"newshape", Ints{weight[0], weight[1], weight[3], weight[4]}}});
}

// Whether to make the planes that the taps see channels of one image. With few channels this costs less than sums of
// many outputs.
bool JoinPays(const TapProduct& of) {
  const Shape& weight = ShapeOf(of.conv.args[1]);
  const int64_t inputs = weight[of.input_axis()], outputs = weight[1 - of.input_axis()];
  const auto taps = static_cast<int64_t>(of.taps.size());
  return of.conv.attrs.GetInt("groups", 1) == 1 && inputs * taps < (taps - 1) * outputs;
}

// The sum over the taps of each tap's planes multiplied with its part of the weight.
ExprPtr SumOfTaps(const TapProduct& of, const Planes& planes) {
  const Attrs attrs = OnPlanes(of.conv, "kernel_size");
  std::vector<ExprPtr> seen, filters;
  for (size_t i = 0; i < of.taps.size(); ++i) {
    seen.push_back(planes.SeenBy(static_cast<int64_t>(i)));
    filters.push_back(TapFilter(of, planes, of.taps[i]));
  }
  if (JoinPays(of)) {
    const ExprPtr image = planes.Made("concatenate", {TypedTuple(seen)}, {{"axis", int64_t{1}}});
    const auto axis = static_cast<int64_t>(of.input_axis());
    return planes.Made(of.op, {image, planes.Made("concatenate", {TypedTuple(filters)}, {{"axis", axis}})}, attrs);
  }
  ExprPtr sum;
  for (size_t i = 0; i < seen.size(); ++i) {
    const ExprPtr product = planes.Made(of.op, {seen[i], filters[i]}, attrs);
    sum = sum ? planes.Made("add", {product, sum}) : product;
  }
  return sum;
}

ExprPtr Conv(const ExprPtr& node, const Uses&) {
  const Call* conv = AsVolumeCall(node, "nn.conv3d");
  if (conv == nullptr) return nullptr;
  const Shape& weight = ShapeOf(conv->args[1]);
  if (IsAlongDepth(*conv, {weight[2], weight[3], weight[4]}) && !FollowsPlanes(conv->args[0])) {
    return AlongDepth(*conv, {"nn.conv2d", "kernel_size"});
  }
  const Depth depth = DepthOf(*conv, ShapeOf(conv->args[1])[2]);
  const Planes planes(*conv, depth, 0);
  Ints taps(static_cast<size_t>(depth.taps));
  std::iota(taps.begin(), taps.end(), int64_t{0});
  return planes.Joined(SumOfTaps({"nn.conv2d", *conv, taps}, planes));
}

// Planes of the same phase of the depth's stride see the same taps of the weight. The phases are interleaved as rows of
// an image whose columns are a volume's planes.
ExprPtr ConvTranspose(const ExprPtr& node, const Uses&) {
  const Call* conv = AsVolumeCall(node, "nn.conv3d_transpose");
  if (conv == nullptr) return nullptr;
  const Shape& result = conv->type->shape;
  const Depth depth = DepthOf(*conv, ShapeOf(conv->args[1])[2]);
  const Tensor zeros(DType::kFloat32, {1, result[1], 1, 1});
  std::vector<ExprPtr> phases;
  for (const ConvPhase& phase :
       PhasesOf({depth.in, depth.results, depth.taps, depth.stride, depth.dilation, depth.before})) {
    const auto taps = static_cast<int64_t>(phase.taps.size());
    if (taps == 0) {
      phases.push_back(relay::MakeConstant(zeros));
      continue;
    }
    const Planes planes(*conv, {depth.in, taps, 1, phase.dilation, phase.before, phase.after, phase.outputs}, 0);
    const ExprPtr volume = planes.Joined(SumOfTaps({"nn.conv2d_transpose", *conv, phase.taps}, planes));
    phases.push_back(TypedReshape(volume, {result[0], result[1], phase.outputs, result[3] * result[4]}, conv->name));
  }
  const Ints strides{static_cast<int64_t>(phases.size()), 1}, size{result[2], result[3] * result[4]};
  if (phases.size() == 1 && ShapeOf(phases[0])[2] == size[0]) return TypedReshape(phases[0], result, conv->name);
  const ExprPtr all =
      TypedCall("nn.interleave", {TypedTuple(std::move(phases))}, {{"strides", strides}, {"size", size}});
  return TypedReshape(all, result, conv->name);
}

// The volumes that Joined makes of planes, when nothing else reads them; else null.
const Call* AsJoined(const ExprPtr& expr, const Uses& uses) {
  const Call* turned = AsTranspose(expr);
  if (turned == nullptr || uses.Of(expr) > 1 || TransposeAxes(*turned) != DepthFirst()) return nullptr;
  const Call* slices = relay::AsCallTo(turned->args[0], "reshape");
  if (slices == nullptr || uses.Of(turned->args[0]) > 1) return nullptr;
  const Shape &planes = ShapeOf(slices->args[0]), &shape = slices->type->shape;
  return planes.size() == 4 && std::equal(planes.begin() + 1, planes.end(), shape.begin() + 2) ? slices : nullptr;
}

// The volume that AlongDepth makes of a convolution, when nothing else reads it; else null.
const Call* AsOnePlane(const ExprPtr& expr, const Uses& uses) {
  const Call* volume = relay::AsCallTo(expr, "reshape");
  const bool product = volume != nullptr && relay::AsCallTo(volume->args[0], "nn.conv2d") != nullptr;
  const bool one = product && uses.Of(expr) <= 1 && uses.Of(volume->args[0]) <= 1;
  if (!one) return nullptr;
  const Shape &plane = ShapeOf(volume->args[0]), &shape = ShapeOf(expr);
  return plane[0] == shape[0] && plane[1] == shape[1] ? volume : nullptr;
}

// Moves a bias to the planes, where a convolution's kernel adds it.
ExprPtr Bias(const ExprPtr& node, const Uses& uses) {
  const Call* bias = relay::AsCallTo(node, "nn.bias_add");
  if (bias == nullptr || bias->attrs.GetInt("axis") != 1 || ShapeOf(node).size() != 5) return nullptr;
  if (const Call* volume = AsOnePlane(bias->args[0], uses)) {
    const ExprPtr plane = TypedCall("nn.bias_add", {volume->args[0], bias->args[1]}, bias->attrs, bias->name);
    return TypedCall("reshape", {plane}, volume->attrs, bias->name);
  }
  const Call* slices = AsJoined(bias->args[0], uses);
  if (slices == nullptr) return nullptr;
  const ExprPtr planes = TypedCall("nn.bias_add", {slices->args[0], bias->args[1]}, bias->attrs, bias->name);
  const ExprPtr joined = TypedCall("reshape", {planes}, slices->attrs, bias->name);
  return TypedCall("transpose", {joined}, {{"axes", DepthFirst()}}, bias->name);
}

// Pools over the depth, then over each plane. Each plane of a window counts as many elements as every other, so the
// mean of means is the mean.
ExprPtr PoolByDepth(const Call& pool, const char* op) {
  const Ints size = pool.attrs.GetInts("pool_size"), padding = pool.attrs.GetInts("padding");
  const Shape& result = pool.type->shape;
  const bool same_depth = size[0] == 1 && padding[0] == 0 && padding[3] == 0 && result[2] == ShapeOf(pool.args[0])[2];
  const ExprPtr volume = same_depth ? pool.args[0] : AlongDepth(pool, {op, "pool_size"});
  const Shape& shape = ShapeOf(volume);
  const ExprPtr planes = TypedReshape(volume, {shape[0], shape[1] * shape[2], shape[3], shape[4]}, pool.name);
  return TypedReshape(TypedCall(op, {planes}, OnPlanes(pool, "pool_size"), pool.name), result, pool.name);
}

ExprPtr MaxPool(const ExprPtr& node, const Uses&) {
  const Call* pool = AsVolumeCall(node, "nn.max_pool3d");
  if (pool == nullptr) return nullptr;
  if (!FollowsPlanes(pool->args[0])) return PoolByDepth(*pool, "nn.max_pool2d");
  const Depth depth = DepthOf(*pool, pool->attrs.GetInts("pool_size")[0]);
  const Planes planes(*pool, depth, -std::numeric_limits<double>::infinity());
  ExprPtr largest = planes.SeenBy(0);
  for (int64_t tap = 1; tap < depth.taps; ++tap) largest = planes.Made("maximum", {largest, planes.SeenBy(tap)});
  return planes.Joined(planes.Made("nn.max_pool2d", {largest}, OnPlanes(*pool, "pool_size")));
}

// Number of planes that the mean of each result counts.
std::vector<float> Counts(const Depth& depth, bool with_padding) {
  std::vector<float> counts;
  for (int64_t result = 0; result < depth.results; ++result) {
    int64_t count = 0;
    for (int64_t tap = 0; tap < depth.taps; ++tap) {
      const int64_t seen = depth.Seen(result, tap);
      count += with_padding ? seen < depth.in + depth.after : seen >= 0 && seen < depth.in;
    }
    // A mean over no planes is a sum of 0, so that any divisor does.
    counts.push_back(static_cast<float>(std::max<int64_t>(1, count)));
  }
  return counts;
}

ExprPtr Scalar(float value) { return relay::MakeConstant(Tensor::Scalar(value)); }

ExprPtr AveragePool(const ExprPtr& node, const Uses&) {
  const Call* pool = AsVolumeCall(node, "nn.avg_pool3d");
  if (pool == nullptr) return nullptr;
  if (!FollowsPlanes(pool->args[0])) return PoolByDepth(*pool, "nn.avg_pool2d");
  const Depth depth = DepthOf(*pool, pool->attrs.GetInts("pool_size")[0]);
  const Planes planes(*pool, depth, 0);
  ExprPtr sum = planes.SeenBy(0);
  for (int64_t tap = 1; tap < depth.taps; ++tap) sum = planes.Made("add", {sum, planes.SeenBy(tap)});
  const std::vector<float> counts = Counts(depth, pool->attrs.GetBool("count_include_pad"));
  const bool same = std::all_of(counts.begin(), counts.end(), [&](float count) { return count == counts[0]; });
  if (same) sum = planes.Made("divide", {sum, Scalar(counts[0])});
  ExprPtr means = planes.Joined(planes.Made("nn.avg_pool2d", {sum}, OnPlanes(*pool, "pool_size")));
  if (same) return means;
  const Tensor by_depth = Tensor::FromVector(DType::kFloat32, {depth.results, 1, 1}, counts);
  return planes.Made("divide", {means, relay::MakeConstant(by_depth)});
}

ExprPtr GlobalPool(const ExprPtr& node, const Uses&) {
  const Call* pool = relay::AsCallTo(node, "nn.global_avg_pool3d");
  if (pool == nullptr) return nullptr;
  return TypedCall("mean", pool->args, {{"axis", Ints{2, 3, 4}}, {"keepdims", true}}, pool->name);
}

}  // namespace

relay::IRModule VolumesAsPlanes(const relay::IRModule& module) {
  return RewriteByRules(module, {Conv, ConvTranspose, Bias, MaxPool, AveragePool, GlobalPool});
}

}  // namespace hone
