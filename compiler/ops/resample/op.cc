// Images sampled at the positions in a tensor.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;

TypePtr GridSampleType(const std::vector<TypePtr>& args, const Attrs& attrs) {
  const Shape data = RowMajorArg(args, 0, "data").shape, grid = RowMajorArg(args, 1, "grid").shape;
  const size_t axes = data.size() - 2;
  if ((data.size() != 4 && data.size() != 5) || grid.size() != data.size() ||
      grid.back() != static_cast<int64_t>(axes) || grid[0] != data[0]) {
    Misfit(fmt::format("grid {} for data {}; they must be (n, height, width, 2) and (n, c, h, w), or one axis more",
                       ShapeText(grid), ShapeText(data)));
  }
  const Shape pixels(data.begin() + 2, data.end());
  if (ElementCount(pixels) < 1) Misfit(fmt::format("data {} has no pixels", ShapeText(data)));
  if (ElementCount(pixels) > INT32_MAX / 4)
    Misfit(fmt::format("planes of {}; they must have fewer pixels", ShapeText(data)));
  const std::string method = attrs.GetString("method"), padding = attrs.GetString("padding_mode");
  if (method != "bilinear" && method != "nearest_neighbor" && (method != "bicubic" || axes != 2)) {
    Misfit(fmt::format("method is \"{}\", it must be bilinear, nearest_neighbor or, in planes, bicubic", method));
  }
  if (padding != "zeros" && padding != "border" && padding != "reflection") {
    Misfit(fmt::format("padding_mode is \"{}\", it must be zeros, border or reflection", padding));
  }
  Shape result{data[0], data[1]};
  result.insert(result.end(), grid.begin() + 1, grid.end() - 1);
  return TensorType(result);
}

// One axis of the image. Positions are float32, as in a kernel: the pixels next to a position must not depend on the
// precision.
struct GridAxis {
  GridAxis(int64_t pixels, const Attrs& attrs)
      : extent(pixels),
        n(static_cast<float>(pixels)),
        corners(attrs.GetBool("align_corners")),
        padding(attrs.GetString("padding_mode")) {}

  // -1 and 1 are the centres of the first and last pixel, or their outer edges.
  float At(float x) const { return corners ? (x + 1) / 2 * (n - 1) : ((x + 1) * n - 1) / 2; }
  float Padded(float at) const {
    if (padding == "border") return Held(at);
    return padding == "reflection" ? Held(Mirrored(at)) : at;
  }
  // A cubic's position before its pixels are padded: up to half a pixel outside it stays as it is.
  float HalfPadded(float at) const {
    if (padding == "reflection") return Mirrored(at);
    const float beyond = corners ? 0.0F : 0.5F;
    return padding == "border" && (at < -beyond || at > n - 1 + beyond) ? Held(at) : at;
  }
  // Clamps to the image; NaN becomes 0.
  float Held(float at) const { return std::min(at > 0 ? at : 0.0F, n - 1); }
  // Mirrors at both ends as often as needed: the distance from the first end, folded at the second.
  float Mirrored(float at) const {
    const float low = corners ? 0.0F : -0.5F, span = corners ? n - 1 : n;
    if (span == 0) return 0;
    const float distance = std::abs(at - low), rounds = std::floor(distance / (2 * span));
    const float folded = distance - rounds * (2 * span);
    return std::min(folded, 2 * span - folded) + low;
  }
  bool Has(float pixel) const { return pixel >= 0 && pixel <= n - 1; }

  int64_t extent;
  float n;
  bool corners;
  std::string padding;
};

// Keys's cubic for a = -3/4, at the distance d from a pixel.
double CubicWeight(double d) {
  constexpr double a = -0.75;
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// A pixel along one axis, and its share of a sample.
struct GridTap {
  float pixel;
  double weight;
};

std::vector<GridTap> TapsAlong(const GridAxis& axis, float x, const std::string& method) {
  // A position outside is rounded before it is mirrored: halfway between two pixels the order matters.
  if (method == "nearest_neighbor") return {{axis.Padded(std::nearbyint(axis.At(x))), 1}};
  if (method == "bilinear") {
    const float at = axis.Padded(axis.At(x)), low = std::floor(at), share = at - low;
    return {{low, 1 - share}, {low + 1, share}};
  }
  const float at = axis.HalfPadded(axis.At(x)), low = std::floor(at);
  std::vector<GridTap> taps;
  for (int i = -1; i <= 2; ++i) {
    const float pixel = low + static_cast<float>(i);
    taps.push_back({axis.Padded(pixel), CubicWeight(std::abs(double{at} - double{pixel}))});
  }
  return taps;
}

class GridSampler {
 public:
  GridSampler(const Tensors& args, const Attrs& attrs) : data_(args[0]), method_(attrs.GetString("method")) {
    for (size_t d = 2; d < data_.shape().size(); ++d) axes_.emplace_back(data_.shape()[d], attrs);
  }

  // The sample of a plane at a position, whose last axis comes first.
  double At(int64_t plane, const float* position) const {
    std::vector<std::vector<GridTap>> taps;
    for (size_t d = 0; d < axes_.size(); ++d) {
      taps.push_back(TapsAlong(axes_[d], position[axes_.size() - 1 - d], method_));
    }
    return Sum(taps, 0, plane, 1);
  }

 private:
  // The sum over the taps of the axes from `d` on, for the pixels of the axes before it that have the number `row`.
  double Sum(const std::vector<std::vector<GridTap>>& taps, size_t d, int64_t row, double weight) const {
    if (d == axes_.size()) return weight * data_.At(row);
    double sum = 0;
    for (const GridTap& tap : taps[d]) {
      if (axes_[d].padding == "zeros" && !axes_[d].Has(tap.pixel)) continue;
      const auto pixel = static_cast<int64_t>(axes_[d].Held(tap.pixel));
      sum += Sum(taps, d + 1, row * axes_[d].extent + pixel, weight * tap.weight);
    }
    return sum;
  }

  const Tensor& data_;
  std::string method_;
  std::vector<GridAxis> axes_;
};

Tensors GridSample(const Tensors& args, const Attrs& attrs) {
  const Shape &data = args[0].shape(), &grid = args[1].shape();
  const int64_t axes = grid.back();
  const GridSampler sampler(args, attrs);
  Shape shape{data[0], data[1]};
  shape.insert(shape.end(), grid.begin() + 1, grid.end() - 1);
  Tensor result(DType::kFloat32, shape);
  const int64_t places = ElementCount({grid.begin() + 1, grid.end() - 1});
  for (int64_t plane = 0; plane < data[0] * data[1]; ++plane) {
    for (int64_t place = 0; place < places; ++place) {
      const float* at = args[1].data<float>() + (plane / data[1] * places + place) * axes;
      result.Set(plane * places + place, sampler.At(plane, at));
    }
  }
  return {result};
}

}  // namespace

OpTable GridSampleOps() {
  OpDef def;
  def.name = "image.grid_sample";
  def.description = "images read at positions between -1 and 1, x before y, by a blend of pixels or the nearest";
  def.inputs = {{"data", "N x C x H x W, or N x C x D x H x W", kKernelFloat},
                {"grid", "N x height x width x 2, or N x depth x height x width x 3", kKernelFloat}};
  def.attrs = {{"method", AttrKind::kString, std::string("bilinear"), "bilinear, nearest_neighbor or bicubic"},
               {"padding_mode", AttrKind::kString, std::string("zeros"), "outside: zeros, border or reflection"},
               {"align_corners", AttrKind::kBool, false, "whether -1 and 1 are middles of pixels"}};
  def.support_level = 5;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  def.type_relation = GridSampleType;
  def.reference = GridSample;
  return {def};
}

}  // namespace hone::relay
