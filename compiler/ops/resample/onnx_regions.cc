// CropAndResize of ONNX Runtime: regions of images, each resized to one size.
#include <fmt/format.h>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/frontend/onnx/window.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Ints = std::vector<int64_t>;

class RegionCrops {
 public:
  explicit RegionCrops(const OnnxNodeView& view) : view_(view), image_(view.InputShape(0)) {
    const Shape rois = view.InputShape(1);
    if (image_.size() != 4 || rois.size() != 2 || rois[1] != 4 || view.InputShape(2) != Shape{rois[0]}) {
      RefuseNode(fmt::format("images {}, regions {} and their images' numbers {} do not fit", ShapeText(image_),
                             ShapeText(rois), ShapeText(view.InputShape(2))));
    }
    size_ = *view.InputInts(3, "crop_size");
    count_ = rois[0];
    if (size_.size() != 2 || size_[0] < 1 || size_[1] < 1 || size_[0] > kMaxWindow || size_[1] > kMaxWindow ||
        ElementCount({count_, size_[0], size_[1]}) > kMostPlaces) {
      RefuseNode(fmt::format("crop_size is {}; it must be a height and a width", ShapeText(size_)));
    }
    mode_ = view.String("mode", "bilinear");
    if (mode_ != "bilinear" && mode_ != "nearest") {
      RefuseNode(fmt::format("mode \"{}\" is not supported; bilinear and nearest are", mode_));
    }
  }

  // Regions x C x height x width.
  ExprPtr Resized() const {
    const ExprPtr rows = Pixels(0), columns = Pixels(1);
    const ExprPtr outside = view_.Call("logical_or", {Outside(rows, 0), Outside(columns, 1)});
    const ExprPtr value = relay::MakeConstant(
        Tensor::FromVector<float>(DType::kFloat32, {}, {static_cast<float>(view_.Float("extrapolation_value", 0))}));
    return view_.Call("where", {outside, value, Samples(rows, columns)});
  }

 private:
  double Last(size_t axis) const { return static_cast<double>(image_[2 + axis] - 1); }

  // The pixels along an axis that the results' rows (0) or columns (1) take: regions x 1 x height x 1, or x 1 x width.
  ExprPtr Pixels(size_t axis) const {
    const auto corner = [&](int64_t which) {
      return view_.Reshape(view_.Slice(view_.Input(1), 1, which, which + 1), {count_, 1, 1, 1});
    };
    const ExprPtr begin = corner(static_cast<int64_t>(axis)), end = corner(static_cast<int64_t>(axis) + 2);
    Shape shape{1, 1, 1, 1};
    shape[2 + axis] = size_[axis];
    view_.builder().Spend(size_[axis] * 4);
    Tensor shares(DType::kFloat32, shape);
    for (int64_t i = 0; i < size_[axis]; ++i) {
      const double share = size_[axis] > 1 ? static_cast<double>(i) / static_cast<double>(size_[axis] - 1) : 0.5;
      shares.Set(i, share * Last(axis));
    }
    const ExprPtr along =
        view_.Call("multiply", {view_.Call("subtract", {end, begin}), relay::MakeConstant(std::move(shares))});
    return view_.Call("add", {WithScalar(view_, "multiply", begin, Last(axis)), along});
  }

  // Whether pixels lie outside of the image by more than a rounding.
  ExprPtr Outside(const ExprPtr& pixels, size_t axis) const {
    constexpr double kRounding = 1e-4;
    return view_.Call("logical_or", {WithScalar(view_, "less", pixels, -kRounding),
                                     WithScalar(view_, "greater", pixels, Last(axis) + kRounding)});
  }

  // Positions between -1 and 1, whose ends are the outer edges of the image.
  ExprPtr Position(ExprPtr pixels, size_t axis) const {
    if (mode_ == "nearest") pixels = view_.Call("floor", {WithScalar(view_, "add", pixels, 0.5)});
    const double extent = Last(axis) + 1;
    const ExprPtr at = WithScalar(view_, "add", WithScalar(view_, "multiply", pixels, 2 / extent), 1 / extent - 1);
    const ExprPtr whole = view_.Call("broadcast_to", {at}, {{"shape", Shape{count_, 1, size_[0], size_[1]}}});
    return view_.Reshape(whole, {count_, size_[0], size_[1], 1});
  }

  ExprPtr Samples(const ExprPtr& rows, const ExprPtr& columns) const {
    const ExprPtr grid =
        view_.builder().CallOnTuple("concatenate", {Position(columns, 1), Position(rows, 0)}, {{"axis", int64_t{3}}});
    const relay::Attrs attrs{{"method", std::string(mode_ == "nearest" ? "nearest_neighbor" : "bilinear")},
                             {"padding_mode", std::string("border")},
                             {"align_corners", false}};
    if (image_[0] != 1) {
      const ExprPtr images = view_.Call("take", {view_.Input(0), view_.Input(2)}, {{"axis", int64_t{0}}});
      return view_.Call("image.grid_sample", {images, grid}, attrs);
    }
    // Regions of the only image lie one below the other.
    const ExprPtr joined = view_.Reshape(grid, {1, count_ * size_[0], size_[1], 2});
    const ExprPtr samples = view_.Reshape(view_.Call("image.grid_sample", {view_.Input(0), joined}, attrs),
                                          {image_[1], count_, size_[0], size_[1]});
    return view_.Call("transpose", {samples}, {{"axes", Ints{1, 0, 2, 3}}});
  }

  const OnnxNodeView& view_;
  Shape image_;
  Ints size_;
  int64_t count_ = 0;
  std::string mode_;
};

std::vector<ExprPtr> CropAndResize(const OnnxNodeView& view) { return {RegionCrops(view).Resized()}; }

}  // namespace

OnnxOperatorTable RegionOperators() {
  return {{"CropAndResize",
           4,
           4,
           CropAndResize,
           {"extrapolation_value", "mode"},
           {.becomes = "image.grid_sample take where"},
           kMicrosoft}};
}

}  // namespace hone
