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
  const Shape data = RowMajorArg(args, 0, "data", 4).shape, grid = RowMajorArg(args, 1, "grid", 4).shape;
  if (grid[3] != 2 || grid[0] != data[0]) {
    Misfit(fmt::format("grid {} for data {}; it must be (n, height, width, 2)", ShapeText(grid), ShapeText(data)));
  }
  if (data[2] < 1 || data[3] < 1) Misfit(fmt::format("data {} has no pixels", ShapeText(data)));
  if (data[2] * data[3] > INT32_MAX / 4)
    Misfit(fmt::format("planes of {}; they must have fewer pixels", ShapeText(data)));
  const std::string method = attrs.GetString("method"), padding = attrs.GetString("padding_mode");
  if (method != "bilinear" && method != "nearest_neighbor") {
    Misfit(fmt::format("method is \"{}\", it must be bilinear or nearest_neighbor", method));
  }
  if (padding != "zeros" && padding != "border" && padding != "reflection") {
    Misfit(fmt::format("padding_mode is \"{}\", it must be zeros, border or reflection", padding));
  }
  return TensorType({data[0], data[1], grid[1], grid[2]});
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
    return padding == "reflection" ? Reflected(at) : at;
  }
  // Clamps to the image; NaN becomes 0.
  float Held(float at) const { return std::min(at > 0 ? at : 0.0F, n - 1); }
  // Mirrors at both ends as often as needed: the distance from the first end, folded at the second.
  float Reflected(float at) const {
    const float low = corners ? 0.0F : -0.5F, span = corners ? n - 1 : n;
    if (span == 0) return 0;
    const float distance = std::abs(at - low), rounds = std::floor(distance / (2 * span));
    const float folded = distance - rounds * (2 * span);
    return Held(std::min(folded, 2 * span - folded) + low);
  }
  bool Has(float pixel) const { return pixel >= 0 && pixel <= n - 1; }

  int64_t extent;
  float n;
  bool corners;
  std::string padding;
};

class GridSampler {
 public:
  GridSampler(const Tensors& args, const Attrs& attrs)
      : data_(args[0]), rows_(data_.shape()[2], attrs), columns_(data_.shape()[3], attrs) {}

  // A position outside is rounded before it is mirrored: halfway between two pixels the order matters.
  double Nearest(int64_t plane, float x, float y) const {
    return Pixel(plane, columns_.Padded(std::nearbyint(columns_.At(x))), rows_.Padded(std::nearbyint(rows_.At(y))));
  }

  double Blended(int64_t plane, float x, float y) const {
    const float column = columns_.Padded(columns_.At(x)), row = rows_.Padded(rows_.At(y)), left = std::floor(column),
                top = std::floor(row);
    const float right = column - left, down = row - top;
    return double{1 - down} *
               (double{1 - right} * Pixel(plane, left, top) + double{right} * Pixel(plane, left + 1, top)) +
           double{down} *
               (double{1 - right} * Pixel(plane, left, top + 1) + double{right} * Pixel(plane, left + 1, top + 1));
  }

 private:
  double Pixel(int64_t plane, float x, float y) const {
    if (rows_.padding == "zeros" && !(columns_.Has(x) && rows_.Has(y))) return 0;
    const auto column = static_cast<int64_t>(columns_.Held(x)), row = static_cast<int64_t>(rows_.Held(y));
    return data_.At((plane * rows_.extent + row) * columns_.extent + column);
  }

  const Tensor& data_;
  GridAxis rows_, columns_;
};

Tensors GridSample(const Tensors& args, const Attrs& attrs) {
  const Shape &data = args[0].shape(), &grid = args[1].shape();
  const int64_t places = grid[1] * grid[2];
  const bool is_nearest = attrs.GetString("method") == "nearest_neighbor";
  const GridSampler sampler(args, attrs);
  Tensor result(DType::kFloat32, {data[0], data[1], grid[1], grid[2]});
  for (int64_t plane = 0; plane < data[0] * data[1]; ++plane) {
    for (int64_t place = 0; place < places; ++place) {
      const float* at = args[1].data<float>() + (plane / data[1] * places + place) * 2;
      result.Set(plane * places + place,
                 is_nearest ? sampler.Nearest(plane, at[0], at[1]) : sampler.Blended(plane, at[0], at[1]));
    }
  }
  return {result};
}

}  // namespace

OpTable GridSampleOps() {
  OpDef def;
  def.name = "image.grid_sample";
  def.description = "images read at positions between -1 and 1, x before y, by a blend of four pixels or the nearest";
  def.inputs = {{"data", "N x C x H x W", kKernelFloat}, {"grid", "N x height x width x 2", kKernelFloat}};
  def.attrs = {{"method", AttrKind::kString, std::string("bilinear"), "bilinear or nearest_neighbor"},
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
