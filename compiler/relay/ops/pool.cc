// Pooling over height and width of images.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "compiler/relay/conv_layout.h"
#include "compiler/relay/ops/arguments.h"
#include "compiler/relay/ops/ops.h"

namespace hone::relay {
namespace {

// One spatial axis of a pool.
struct PoolAxis {
  int64_t size, stride, dilation, before, after;
  bool ceil_mode;

  int64_t reach() const { return (size - 1) * dilation + 1; }

  int64_t Outputs(int64_t in) const {
    if (in == kAnyDim) return kAnyDim;
    const int64_t room = in + before + after - reach();
    if (room < 0)
      Misfit(fmt::format("a window of {} does not fit in {} with padding {} + {}", reach(), in, before, after));
    if (!ceil_mode) return room / stride + 1;
    const int64_t outputs = (room + stride - 1) / stride + 1;
    // A window that begins past the data and its left padding would see right padding alone: it is dropped.
    return (outputs - 1) * stride >= in + before ? outputs - 1 : outputs;
  }
};

std::array<PoolAxis, 2> PoolAxes(const Attrs& attrs) {
  const auto size = CheckedInts(attrs, "pool_size", 2, 1);
  const auto strides = CheckedInts(attrs, "strides", 2, 1, {1, 1});
  const auto dilation = CheckedInts(attrs, "dilation", 2, 1, {1, 1});
  const auto padding = CheckedInts(attrs, "padding", 4, 0, {0, 0, 0, 0});
  const bool ceil_mode = attrs.GetBool("ceil_mode");
  return {PoolAxis{size[0], strides[0], dilation[0], padding[0], padding[2], ceil_mode},
          PoolAxis{size[1], strides[1], dilation[1], padding[1], padding[3], ceil_mode}};
}

TypePtr PoolType(const std::vector<TypePtr>& args, const Attrs& attrs, bool of_bytes) {
  const bool bytes = of_bytes && TensorArg(args, 0, "data", 4).dtype == DType::kUInt8;
  const Type& data = bytes ? TensorArg(args, 0, "data", 4) : FloatArg(args, 0, "data", 4);
  const auto axes = PoolAxes(attrs);
  const std::string layout = PoolLayoutOf(attrs);
  const Shape in = Reordered(data.shape, layout, "NCHW");
  const Shape out{in[0], in[1], axes[0].Outputs(in[2]), axes[1].Outputs(in[3])};
  return TensorType(Reordered(out, "NCHW", layout), data.dtype, data.layout);
}

TypePtr GlobalPoolType(const std::vector<TypePtr>& args, const Attrs& attrs) {
  const Type& data = FloatArg(args, 0, "data", 4);
  const std::string layout = PoolLayoutOf(attrs);
  const Shape in = Reordered(data.shape, layout, "NCHW");
  return TensorType(Reordered(Shape{in[0], in[1], 1, 1}, "NCHW", layout), data.dtype, data.layout);
}

struct Plane {
  const Tensor& data;
  int64_t first, height, width;
};

// What a window gathered.
struct Window {
  double sum = 0;
  double largest = -std::numeric_limits<double>::infinity();
  int64_t inside = 0;  // taps on data
  int64_t padded = 0;  // taps on data or padding

  void Take(double x) {
    ++inside;
    sum += x;
    if (x > largest || std::isnan(x)) largest = x;
  }
};

Window Look(const Plane& plane, const std::array<PoolAxis, 2>& axes, int64_t oh, int64_t ow) {
  Window window;
  for (int64_t kh = 0; kh < axes[0].size; ++kh) {
    const int64_t h = oh * axes[0].stride - axes[0].before + kh * axes[0].dilation;
    for (int64_t kw = 0; kw < axes[1].size; ++kw) {
      const int64_t w = ow * axes[1].stride - axes[1].before + kw * axes[1].dilation;
      // In ceil mode a window may reach past the right padding: those taps count nowhere.
      if (h < plane.height + axes[0].after && w < plane.width + axes[1].after) ++window.padded;
      if (h >= 0 && h < plane.height && w >= 0 && w < plane.width) {
        window.Take(plane.data.At(plane.first + h * plane.width + w));
      }
    }
  }
  return window;
}

double Largest(const Window& window, const Attrs&) { return window.largest; }

double Average(const Window& window, const Attrs& attrs) {
  const int64_t count = attrs.GetBool("count_include_pad") ? window.padded : window.inside;
  return count == 0 ? 0 : window.sum / static_cast<double>(count);
}

using Answer = double (*)(const Window&, const Attrs&);

Tensor Pooled(const Tensor& data, const std::array<PoolAxis, 2>& axes, const Attrs& attrs, Answer answer) {
  const Shape& in = data.shape();
  const Shape out{in[0], in[1], axes[0].Outputs(in[2]), axes[1].Outputs(in[3])};
  Tensor result(data.dtype(), out);
  // What a window of padding alone gives: the least there is.
  const double least = data.dtype() == DType::kUInt8 ? 0 : -std::numeric_limits<double>::infinity();
  int64_t next = 0;
  for (int64_t plane = 0; plane < in[0] * in[1]; ++plane) {
    const Plane from{data, plane * in[2] * in[3], in[2], in[3]};
    for (int64_t oh = 0; oh < out[2]; ++oh) {
      for (int64_t ow = 0; ow < out[3]; ++ow)
        result.Set(next++, std::max(answer(Look(from, axes, oh, ow), attrs), least));
    }
  }
  return result;
}

// Of data and result in the order of axes that the attributes name.
Tensor PooledAsNamed(const Tensor& data, const std::array<PoolAxis, 2>& axes, const Attrs& attrs, Answer answer) {
  const std::string layout = PoolLayoutOf(attrs);
  return Reordered(Pooled(Reordered(data, layout, "NCHW"), axes, attrs, answer), "NCHW", layout);
}

const AttrSpec kLayout{"layout", AttrKind::kString, std::string("NCHW"), "axes of data and result: NCHW or NHWC"};

// `moves`: the answer is one of the window's elements, bytes too.
OpDef Pool(std::string name, std::string description, Answer answer, bool moves) {
  OpDef def;
  def.name = std::move(name);
  def.description = std::move(description);
  def.inputs = {{"data", "(batch, channels, height, width), or as layout says"}};
  def.attrs = {{"pool_size", AttrKind::kInts, std::vector<int64_t>{}, "height and width of the window"},
               {"strides", AttrKind::kInts, std::vector<int64_t>{1, 1}, "steps of the window"},
               {"dilation", AttrKind::kInts, std::vector<int64_t>{1, 1}, "distance between taps of the window"},
               {"padding", AttrKind::kInts, std::vector<int64_t>{0, 0, 0, 0}, "top, left, bottom, right", true},
               kLayout,
               {"ceil_mode", AttrKind::kBool, false, "whether a last window may reach past the padding"}};
  def.support_level = 2;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNCHWc;
  def.traits = {.moves = moves, .homogeneous = true, .per_image = true, .heads = true};
  def.type_relation = [moves](const std::vector<TypePtr>& args, const Attrs& attrs) {
    return PoolType(args, attrs, moves);
  };
  def.reference = [answer](const std::vector<Tensor>& args, const Attrs& attrs) {
    return std::vector<Tensor>{PooledAsNamed(args[0], PoolAxes(attrs), attrs, answer)};
  };
  return def;
}

OpDef GlobalPool(std::string name, std::string description, Answer answer, bool moves) {
  OpDef def = Pool(std::move(name), std::move(description), answer, moves);
  def.attrs = {kLayout};
  def.traits.folds = Folds::kImage;
  def.type_relation = GlobalPoolType;
  def.reference = [answer](const std::vector<Tensor>& args, const Attrs& attrs) {
    const Shape in = Reordered(args[0].shape(), PoolLayoutOf(attrs), "NCHW");
    const PoolAxis height{in[2], 1, 1, 0, 0, false}, width{in[3], 1, 1, 0, 0, false};
    return std::vector<Tensor>{PooledAsNamed(args[0], {height, width}, attrs, answer)};
  };
  return def;
}

}  // namespace

OpTable PoolOps() {
  OpDef average = Pool("nn.avg_pool2d", "mean over a window", Average, false);
  average.attrs.push_back({"count_include_pad", AttrKind::kBool, false, "whether padding counts as zeros"});
  return {Pool("nn.max_pool2d", "largest element of a window, floats or uint8; NaN when one is NaN", Largest, true),
          average, GlobalPool("nn.global_max_pool2d", "largest element of each channel", Largest, true),
          GlobalPool("nn.global_avg_pool2d", "mean of each channel", Average, false)};
}

}  // namespace hone::relay
