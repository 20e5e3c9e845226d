// Regions of images, each cut into bins with samples between pixels: the input of a detector's second stage.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/ops/detection/op_roi_sampling.h"
#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "core/nth.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;
using Types = std::vector<TypePtr>;

TypePtr RoiAlignType(const Types& args, const Attrs& attrs) {
  const Shape data = TensorArg(args, 0, "data", 4).shape, rois = TensorArg(args, 1, "rois", 2).shape;
  const Type& images = RowMajorArg(args, 2, "batch_indices", 1);
  if (rois[1] != 4 || images.shape[0] != rois[0]) {
    Misfit(fmt::format("rois {} with batch_indices {}; they must be (n, 4) and (n)", ShapeText(rois),
                       ShapeText(images.shape)));
  }
  if (data[0] < 1 || data[2] < 1 || data[3] < 1) Misfit(fmt::format("data {} has no pixels", ShapeText(data)));
  const std::vector<int64_t> pooled = CheckedInts(attrs, "pooled_size", 2, 1);
  if (attrs.GetInt("sample_ratio") < 0 || attrs.GetInt("sample_ratio") > kMostRoiSamples) {
    Misfit(fmt::format("sample_ratio is {}, it must be 0 to {}", attrs.GetInt("sample_ratio"), kMostRoiSamples));
  }
  const std::string mode = attrs.GetString("mode");
  if (mode != "avg" && mode != "max") Misfit(fmt::format("mode is \"{}\", it must be avg or max", mode));
  return TensorType({rois[0], data[1], pooled[0], pooled[1]});
}

// One axis of a region. Positions are float32, as in a kernel: the pixels next to a sample must not depend on the
// precision.
struct RoiAxis {
  float begin = 0, bin = 0;
  int64_t samples = 0;  // per bin; not positive if a region ends before it begins
  int64_t extent = 0;   // of the image

  // A sample between two pixels, at `weight` of the distance to the second.
  struct Sample {
    bool inside = false;
    int64_t low = 0, high = 0;
    float weight = 0;
  };
  Sample At(int64_t bin_number, int64_t i) const {
    const float step = (static_cast<float>(i) + 0.5F) * bin / static_cast<float>(samples);
    const float at = begin + static_cast<float>(bin_number) * bin + step;
    if (!(at >= -1 && at <= static_cast<float>(extent))) return {};
    const float from = std::max(at, 0.0F);
    const auto low = static_cast<int64_t>(from);
    if (low >= extent - 1) return {true, extent - 1, extent - 1, 0};
    return {true, low, low + 1, from - static_cast<float>(low)};
  }
};

class RoiAligner {
 public:
  RoiAligner(const Tensors& args, const Attrs& attrs)
      : args_(args),
        scale_(static_cast<float>(attrs.GetFloat("spatial_scale", 1))),
        ratio_(attrs.GetInt("sample_ratio")),
        aligned_(attrs.GetBool("aligned", true)),
        is_max_(attrs.GetString("mode") == "max"),
        pooled_(attrs.GetInts("pooled_size")) {}

  Tensor Result() const {
    const Shape& data = args_[0].shape();
    Tensor result(DType::kFloat32, {args_[1].shape()[0], data[1], pooled_[0], pooled_[1]});
    int64_t to = 0;
    for (int64_t roi = 0; roi < args_[1].shape()[0]; ++roi) {
      const auto image = static_cast<int64_t>(args_[2].At(roi));
      if (image < 0 || image >= data[0]) Misfit(fmt::format("roi {} is of image {} of {}", roi, image, data[0]));
      const RoiAxis rows = AxisOf(roi, 1, pooled_[0], data[2]), columns = AxisOf(roi, 0, pooled_[1], data[3]);
      for (int64_t c = 0; c < data[1]; ++c) {
        for (int64_t i = 0; i < pooled_[0] * pooled_[1]; ++i) {
          result.Set(to++, Bin(image * data[1] + c, rows, i / pooled_[1], columns, i % pooled_[1]));
        }
      }
    }
    return result;
  }

 private:
  RoiAxis AxisOf(int64_t roi, int64_t axis, int64_t bins, int64_t extent) const {
    const float* box = args_[1].data<float>() + roi * 4;
    const float offset = aligned_ ? 0.5F : 0.0F;
    const float begin = box[axis] * scale_ - offset, end = box[axis + 2] * scale_ - offset;
    const float length = aligned_ ? end - begin : std::max(end - begin, 1.0F);
    const float bin = length / static_cast<float>(bins), most = static_cast<float>(kMostRoiSamples);
    const auto samples = static_cast<int64_t>(bin > 0 ? std::min(std::ceil(bin), most) : 0.0F);
    return {begin, bin, ratio_ > 0 ? ratio_ : samples, extent};
  }

  double Bin(int64_t plane, const RoiAxis& rows, int64_t row, const RoiAxis& columns, int64_t column) const {
    double sum = 0, most = 0;
    bool first = true;
    for (int64_t i = 0; i < rows.samples; ++i) {
      for (int64_t j = 0; j < columns.samples; ++j) {
        double parts[4] = {};
        Parts(plane, rows.At(row, i), columns.At(column, j), parts);
        sum += parts[0] + parts[1] + parts[2] + parts[3];
        const double largest = *std::max_element(parts, parts + 4);
        most = first ? largest : std::max(most, largest);
        first = false;
      }
    }
    const auto count = static_cast<double>(std::max<int64_t>(rows.samples * columns.samples, 1));
    return is_max_ ? most : sum / count;
  }

  // The four pixels around a sample, weighted; zeros outside the image.
  void Parts(int64_t plane, const RoiAxis::Sample& row, const RoiAxis::Sample& column, double* parts) const {
    if (!row.inside || !column.inside) return;
    const Shape& data = args_[0].shape();
    for (int k = 0; k < 4; ++k) {
      const float y = k < 2 ? 1 - row.weight : row.weight, x = k % 2 == 0 ? 1 - column.weight : column.weight;
      const int64_t at = (plane * data[2] + (k < 2 ? row.low : row.high)) * data[3];
      parts[k] = static_cast<double>(y * x) * args_[0].At(at + (k % 2 == 0 ? column.low : column.high));
    }
  }

  const Tensors& args_;
  float scale_;
  int64_t ratio_;
  bool aligned_, is_max_;
  std::vector<int64_t> pooled_;
};

}  // namespace

OpTable RoiAlignOps() {
  OpDef def;
  def.name = "vision.roi_align";
  def.description = "regions of images as bins, each the mean or the largest part of samples between pixels";
  def.inputs = {{"data", "(N, C, H, W)", kKernelFloat},
                {"rois", "(n, 4): left, top, right, bottom", kKernelFloat},
                {"batch_indices", "(n): which image each region is of", kIndices}};
  def.attrs = {
      {"pooled_size", AttrKind::kInts, std::vector<int64_t>{1, 1}, "bins of a region: rows, columns"},
      {"spatial_scale", AttrKind::kFloat, 1.0, "pixels of data per unit of rois"},
      {"sample_ratio", AttrKind::kInt, int64_t{0},
       "samples of a bin along each axis; 0 means as many as it has pixels, 1024 at most"},
      {"mode", AttrKind::kString, std::string("avg"), "avg, or max of the weighted pixels around samples"},
      {"aligned", AttrKind::kBool, true, "pixel i is from i - 0.5 to i + 0.5; without it regions have 1 x 1 at least"}};
  def.support_level = 5;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  def.type_relation = RoiAlignType;
  def.reference = [](const Tensors& args, const Attrs& attrs) { return Tensors{RoiAligner(args, attrs).Result()}; };
  return {def};
}

}  // namespace hone::relay
