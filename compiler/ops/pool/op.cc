// Pooling over height and width of images, and over depth, height and width of volumes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "compiler/ops/conv/op_layout.h"
#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"

namespace hone::relay {
namespace {

// One spatial axis of a pool.
struct PoolAxis {
  int64_t size, stride, dilation, before, after;
  bool ceil_mode;

  int64_t reach() const { return (size - 1) * dilation + 1; }
  // The position on the data of a tap of an output's window; in the padding it is negative or past the data.
  int64_t Seen(int64_t output, int64_t tap) const { return output * stride - before + tap * dilation; }

  int64_t Outputs(int64_t in) const {
    if (in == kAnyDim) return kAnyDim;
    const int64_t room = in + before + after - reach();
    if (room < 0)
      Misfit(fmt::format("a window of {} does not fit in {} with padding {} + {}", reach(), in, before, after));
    if (!ceil_mode) return room / stride + 1;
    const int64_t outputs = (room + stride - 1) / stride + 1;
    // A window that begins past the data and its left padding would read only right padding: it is dropped.
    return (outputs - 1) * stride >= in + before ? outputs - 1 : outputs;
  }
};

// Depth, height and width. An image is a volume of one plane.
using PoolAxes = std::array<PoolAxis, 3>;
constexpr PoolAxis kOnePlane{1, 1, 1, 0, 0, false};

PoolAxes AxesOf(const Attrs& attrs, size_t spatial) {
  const std::vector<int64_t> ones(spatial, 1), zeros(2 * spatial, 0);
  const auto size = CheckedInts(attrs, "pool_size", spatial, 1);
  const auto strides = CheckedInts(attrs, "strides", spatial, 1, ones);
  const auto dilation = CheckedInts(attrs, "dilation", spatial, 1, ones);
  const auto padding = CheckedInts(attrs, "padding", 2 * spatial, 0, zeros);
  PoolAxes axes{kOnePlane, kOnePlane, kOnePlane};
  for (size_t i = 0; i < spatial; ++i) {
    axes[3 - spatial + i] = {size[i],    strides[i],           dilation[i],
                             padding[i], padding[spatial + i], attrs.GetBool("ceil_mode")};
  }
  return axes;
}

// The pool over a complete volume.
PoolAxes WholeOf(const Shape& volume) {
  PoolAxes axes{kOnePlane, kOnePlane, kOnePlane};
  for (size_t i = 0; i < 3; ++i) axes[i].size = volume[2 + i];
  return axes;
}

// Converts a shape in the attributes' order of axes to (N, C, D, H, W), and back.
Shape AsVolume(const Shape& shape, const Attrs& attrs) {
  if (shape.size() == 5) return shape;
  Shape volume = Reordered(shape, PoolLayoutOf(attrs), "NCHW");
  volume.insert(volume.begin() + 2, 1);
  return volume;
}
Shape OffVolume(Shape volume, size_t rank, const Attrs& attrs) {
  if (rank == 5) return volume;
  volume.erase(volume.begin() + 2);
  return Reordered(volume, "NCHW", PoolLayoutOf(attrs));
}

Shape PooledShape(const Shape& volume, const PoolAxes& axes) {
  return {volume[0], volume[1], axes[0].Outputs(volume[2]), axes[1].Outputs(volume[3]), axes[2].Outputs(volume[4])};
}

TypePtr PoolType(const std::vector<TypePtr>& args, const Attrs& attrs, size_t spatial) {
  const Type& data = TensorArg(args, 0, "data", static_cast<int>(spatial) + 2);
  const Shape out = PooledShape(AsVolume(data.shape, attrs), AxesOf(attrs, spatial));
  return TensorType(OffVolume(out, spatial + 2, attrs), data.dtype, data.layout);
}

TypePtr GlobalPoolType(const std::vector<TypePtr>& args, const Attrs& attrs, size_t spatial) {
  const Type& data = TensorArg(args, 0, "data", static_cast<int>(spatial) + 2);
  const Shape in = AsVolume(data.shape, attrs);
  return TensorType(OffVolume({in[0], in[1], 1, 1, 1}, spatial + 2, attrs), data.dtype, data.layout);
}

struct PoolVolume {
  const Tensor& data;
  int64_t first, depth, height, width;
};

// Values gathered from a window.
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

struct Place {
  int64_t d, h, w;
};

// In ceil mode a window may reach past the padding at the end: those taps are not counted at all.
Window Look(const PoolVolume& volume, const PoolAxes& axes, const Place& out) {
  Window window;
  for (int64_t tap = 0; tap < axes[0].size * axes[1].size * axes[2].size; ++tap) {
    const int64_t d = axes[0].Seen(out.d, tap / (axes[2].size * axes[1].size));
    const int64_t h = axes[1].Seen(out.h, tap / axes[2].size % axes[1].size);
    const int64_t w = axes[2].Seen(out.w, tap % axes[2].size);
    if (d < volume.depth + axes[0].after && h < volume.height + axes[1].after && w < volume.width + axes[2].after) {
      ++window.padded;
    }
    if (d >= 0 && d < volume.depth && h >= 0 && h < volume.height && w >= 0 && w < volume.width) {
      window.Take(volume.data.At(volume.first + (d * volume.height + h) * volume.width + w));
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

// Pools data of shape (N, C, D, H, W).
Tensor Pooled(const Tensor& data, const PoolAxes& axes, const Attrs& attrs, Answer answer) {
  const Shape& in = data.shape();
  const Shape out = PooledShape(in, axes);
  Tensor result(data.dtype(), out);
  // The result of a window that has only padding: the least value.
  const double least = data.dtype() == DType::kUInt8 ? 0 : -std::numeric_limits<double>::infinity();
  const int64_t places = out[2] * out[3] * out[4];
  for (int64_t i = 0; i < result.elements(); ++i) {
    const PoolVolume from{data, i / places * in[2] * in[3] * in[4], in[2], in[3], in[4]};
    const Place place{i % places / (out[3] * out[4]), i / out[4] % out[3], i % out[4]};
    result.Set(i, std::max(answer(Look(from, axes, place), attrs), least));
  }
  return result;
}

// Pools data in the attributes' order of axes.
template <typename Axes>
std::vector<Tensor> PooledAsNamed(const Tensor& data, const Attrs& attrs, Answer answer, Axes axes) {
  const size_t rank = data.shape().size();
  const Tensor plain = rank == 5 ? data : Reordered(data, PoolLayoutOf(attrs), "NCHW");
  const Tensor volume = plain.Reshaped(AsVolume(data.shape(), attrs));
  Tensor result = Pooled(volume, axes(volume.shape()), attrs, answer);
  if (rank == 5) return {result};
  const Shape& out = result.shape();
  return {Reordered(result.Reshaped({out[0], out[1], out[3], out[4]}), "NCHW", PoolLayoutOf(attrs))};
}

const AttrSpec kLayout{"layout", AttrKind::kString, std::string("NCHW"), "axes of data and result: NCHW or NHWC"};

// The row of pools over `spatial` dims, without attributes. `moves`: the result is one of the window's elements.
OpDef AnyPool(std::string name, std::string description, size_t spatial, bool moves, DTypeSet types = kKernelFloat) {
  const bool images = spatial == 2;
  OpDef def;
  def.name = std::move(name);
  def.description = std::move(description);
  def.inputs = {
      {"data",
       images ? "(batch, channels, height, width), or as layout says" : "(batch, channels, depth, height, width)",
       types}};
  def.support_level = 2;
  def.pattern = OpPattern::kReduction;
  def.layout = images ? LayoutRule::kNCHWc : LayoutRule::kNative;
  if (images) def.traits = {.moves = moves, .homogeneous = true, .per_image = true, .heads = true};
  return def;
}

OpDef Pool(const std::string& name, const std::string& description, size_t spatial, Answer answer, bool moves,
           DTypeSet types = kKernelFloat) {
  OpDef def = AnyPool(name, description, spatial, moves, types);
  const bool images = spatial == 2;
  const std::vector<int64_t> ones(spatial, 1), zeros(2 * spatial, 0);
  def.attrs = {{"pool_size", AttrKind::kInts, std::vector<int64_t>{},
                images ? "height and width of the window" : "depth, height and width of the window"},
               {"strides", AttrKind::kInts, ones, "steps of the window"},
               {"dilation", AttrKind::kInts, ones, "distance between taps of the window"},
               {"padding", AttrKind::kInts, zeros,
                images ? "top, left, bottom, right" : "front, top, left, back, bottom, right", true}};
  if (images) def.attrs.push_back(kLayout);
  def.attrs.push_back({"ceil_mode", AttrKind::kBool, false, "whether a last window may reach past the padding"});
  def.type_relation = [=](const std::vector<TypePtr>& args, const Attrs& attrs) {
    return PoolType(args, attrs, spatial);
  };
  def.reference = [=](const std::vector<Tensor>& args, const Attrs& attrs) {
    return PooledAsNamed(args[0], attrs, answer, [&](const Shape&) { return AxesOf(attrs, spatial); });
  };
  return def;
}

OpDef AveragePool(const std::string& name, const std::string& description, size_t spatial) {
  OpDef def = Pool(name, description, spatial, Average, false);
  def.attrs.push_back({"count_include_pad", AttrKind::kBool, false, "whether padding counts as zeros"});
  return def;
}

OpDef GlobalPool(const std::string& name, const std::string& description, size_t spatial, Answer answer, bool moves) {
  OpDef def = AnyPool(name, description, spatial, moves);
  if (spatial == 2) def.attrs = {kLayout};
  if (spatial == 2) def.traits.folds = Folds::kImage;
  def.type_relation = [=](const std::vector<TypePtr>& args, const Attrs& attrs) {
    return GlobalPoolType(args, attrs, spatial);
  };
  def.reference = [=](const std::vector<Tensor>& args, const Attrs& attrs) {
    return PooledAsNamed(args[0], attrs, answer, WholeOf);
  };
  return def;
}

}  // namespace

OpTable PoolOps() {
  return {Pool("nn.max_pool2d", "largest element of a window; NaN when one is NaN", 2, Largest, true,
               kKernelFloat | DType::kUInt8),
          Pool("nn.max_pool3d", "largest element of a window; NaN when one is NaN", 3, Largest, true),
          AveragePool("nn.avg_pool2d", "mean over a window", 2),
          AveragePool("nn.avg_pool3d", "mean over a window", 3),
          GlobalPool("nn.global_max_pool2d", "largest element of each channel", 2, Largest, true),
          GlobalPool("nn.global_avg_pool2d", "mean of each channel", 2, Average, false),
          GlobalPool("nn.global_avg_pool3d", "mean of each channel", 3, Average, false)};
}

}  // namespace hone::relay
