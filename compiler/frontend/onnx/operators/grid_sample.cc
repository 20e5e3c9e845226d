// GridSample: elements of an image at positions that are computed.
#include <fmt/format.h>

#include "compiler/frontend/onnx/onnx_operators.h"
#include "compiler/frontend/onnx/scalar_like.h"

namespace hone {
namespace {

using relay::ExprPtr;

class Sampling {
 public:
  explicit Sampling(const OnnxNodeView& view) : view_(view), image_(view.InputShape(0)), grid_(view.InputShape(1)) {
    if (image_.size() != 4 || grid_.size() != 4 || grid_[3] != 2 || grid_[0] != image_[0]) {
      RefuseNode(fmt::format("an image {} with a grid {}; N x C x H x W with N x H x W x 2 is supported",
                             ShapeText(image_), ShapeText(grid_)));
    }
    mode_ = view.String("mode", "linear");
    padding_ = view.String("padding_mode", "zeros");
    if (mode_ != "linear" && mode_ != "bilinear" && mode_ != "nearest") {
      RefuseNode(fmt::format("mode \"{}\" is not supported; linear and nearest are", mode_));
    }
    if (padding_ != "zeros" && padding_ != "border" && padding_ != "reflection") {
      RefuseNode(fmt::format("padding_mode \"{}\" is not known", padding_));
    }
    places_ = grid_[1] * grid_[2];
    pixels_ = view.Reshape(view.Input(0), {image_[0], image_[1], image_[2] * image_[3]});
  }

  ExprPtr Value() const {
    const ExprPtr x = Position(0, image_[3]), y = Position(1, image_[2]);
    const ExprPtr result = mode_ == "nearest" ? At(Of("round", x), Of("round", y)) : Blend(x, y);
    return view_.Reshape(result, {image_[0], image_[1], grid_[1], grid_[2]});
  }

 private:
  ExprPtr Of(std::string_view op, const ExprPtr& a) const { return view_.Call(op, {a}); }
  ExprPtr Of(std::string_view op, const ExprPtr& a, const ExprPtr& b) const { return view_.Call(op, {a, b}); }
  ExprPtr With(std::string_view op, const ExprPtr& a, double b) const { return WithScalar(view_, op, a, b); }
  ExprPtr Held(const ExprPtr& x, double low, double high) const {
    return view_.Call("clip", {x}, {{"a_min", low}, {"a_max", high}});
  }

  // Column 0 or 1 of the grid as a position among `extent` elements, N x 1 x places.
  ExprPtr Position(int64_t column, int64_t extent) const {
    using Ints = std::vector<int64_t>;
    const ExprPtr part =
        view_.Call("strided_slice", {view_.Input(1)},
                   {{"begin", Ints{column}}, {"end", Ints{column + 1}}, {"strides", Ints{1}}, {"axes", Ints{3}}});
    const ExprPtr x = view_.Reshape(part, {image_[0], 1, places_});
    const bool corners = view_.Int("align_corners", 0) != 0;
    const auto n = static_cast<double>(extent);
    const double scale = (corners ? n - 1 : n) / 2;
    const ExprPtr at = With("add", With("multiply", x, scale), corners ? scale : scale - 0.5);
    if (padding_ == "border") return Held(at, 0, n - 1);
    return padding_ == "reflection" ? Reflected(at, corners ? 0 : -0.5, corners ? n - 1 : n - 0.5, n) : at;
  }

  // Mirrored at both ends as often as it takes: the distance from `low` modulo twice the span, folded in half.
  ExprPtr Reflected(const ExprPtr& x, double low, double high, double extent) const {
    const double span = high - low;
    if (span == 0) return Held(x, 0, 0);
    const ExprPtr distance = With("mod", Of("abs", With("subtract", x, low)), 2 * span);
    const ExprPtr back = view_.Call("subtract", {ScalarLike(view_, distance, 2 * span), distance});
    return Held(With("add", Of("minimum", distance, back), low), 0, extent - 1);
  }

  // The elements at whole positions; zeros outside the image.
  ExprPtr At(const ExprPtr& x, const ExprPtr& y) const {
    const double right = static_cast<double>(image_[3] - 1), bottom = static_cast<double>(image_[2] - 1);
    const ExprPtr column = Held(x, 0, right), row = Held(y, 0, bottom);
    const auto whole = [&](const ExprPtr& v) { return view_.Call("cast", {v}, {{"dtype", std::string("int32")}}); };
    const ExprPtr index = Of("add", With("multiply", whole(row), right + 1), whole(column));
    const ExprPtr indices = view_.Call("broadcast_to", {index}, {{"shape", Shape{image_[0], image_[1], places_}}});
    const ExprPtr found = view_.Call("gather", {pixels_, indices}, {{"axis", int64_t{2}}});
    if (padding_ != "zeros") return found;
    const ExprPtr inside = Of("logical_and", Of("equal", x, column), Of("equal", y, row));
    return view_.Call("where", {inside, found, ScalarLike(view_, found, 0)});
  }

  ExprPtr Blend(const ExprPtr& x, const ExprPtr& y) const {
    const ExprPtr left = Of("floor", x), top = Of("floor", y);
    const ExprPtr right = With("add", left, 1), bottom = With("add", top, 1);
    const ExprPtr to_right = Of("subtract", x, left), to_left = Of("subtract", right, x);
    const ExprPtr down = Of("subtract", y, top), up = Of("subtract", bottom, y);
    const auto row = [&](const ExprPtr& at) {
      return Of("add", Of("multiply", At(left, at), to_left), Of("multiply", At(right, at), to_right));
    };
    return Of("add", Of("multiply", row(top), up), Of("multiply", row(bottom), down));
  }

  const OnnxNodeView& view_;
  Shape image_, grid_;
  std::string mode_, padding_;
  int64_t places_ = 0;
  ExprPtr pixels_;
};

std::vector<ExprPtr> GridSample(const OnnxNodeView& view) { return {Sampling(view).Value()}; }

}  // namespace

OnnxOperatorTable GridSampleOperators() {
  return {{"GridSample", 2, 2, GridSample, {"align_corners", "mode", "padding_mode"}}};
}

}  // namespace hone
