// Operators whose results have a length that data decide: NonZero, Compress, NonMaxSuppression. Types hold the upper
// bound, and a count holds the actual length.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/ops/onnx_families.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;

// Positions in known data, one per column.
Tensor KnownPlaces(const OnnxNodeView& view, const Tensor& data) {
  const auto rank = static_cast<int64_t>(data.shape().size());
  int64_t count = 0;
  for (int64_t i = 0; i < data.elements(); ++i) count += data.At(i) != 0 ? 1 : 0;
  view.builder().Spend((rank + 1) * count * 8);
  std::vector<int64_t> found;
  found.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < data.elements(); ++i) {
    if (data.At(i) != 0) found.push_back(i);
  }
  Tensor result(DType::kInt64, {rank, count});
  for (int64_t d = rank; d-- > 0;) {
    const int64_t extent = Nth(data.shape(), d);
    for (int64_t i = 0; i < count; ++i) {
      int64_t& rest = Nth(found, i);
      result.data<int64_t>()[d * count + i] = rest % extent;
      rest /= extent;
    }
  }
  return result;
}

// Positions of nonzero elements, one per row, with as many rows as elements. The number of valid rows is a count.
ExprPtr Places(const OnnxNodeView& view, const ExprPtr& data) {
  TypedBuilder& builder = view.builder();
  const ExprPtr found = view.Call("argwhere", {data});
  ExprPtr rows = builder.Item(found, 0);
  builder.SetCounts(rows, {builder.Item(found, 1), nullptr});
  return rows;
}

std::vector<ExprPtr> NonZero(const OnnxNodeView& view) {
  if (const Tensor* known = view.InputValue(0)) return {relay::MakeConstant(KnownPlaces(view, *known))};
  const Shape& shape = view.InputShape(0);
  if (ElementCount(shape) == 0) return {relay::MakeConstant(Tensor(DType::kInt64, {view.InputRank(0), 0}))};
  if (shape.empty()) RefuseNode("its data has no axis");
  return {view.Call("transpose", {Places(view, view.Input(0))}, {{"axes", std::vector<int64_t>{1, 0}}})};
}

// Slices along an axis, or elements of all data, for which the condition holds.
std::vector<ExprPtr> Compress(const OnnxNodeView& view) {
  ExprPtr data = view.Input(0);
  int64_t axis = 0;
  if (view.HasAttr("axis")) {
    axis = OnnxNodeView::Axis(view.Int("axis", 0), view.InputRank(0));
  } else {
    data = view.Reshape(data, {ElementCount(view.InputShape(0))});
  }
  const Shape& condition = view.InputShape(1);
  const int64_t extent = Nth(view.builder().ShapeOf(data), axis);
  if (condition.size() != 1 || condition[0] > extent) {
    RefuseNode(fmt::format("its condition is {}; it may have one axis of at most {}", ShapeText(condition), extent));
  }
  ExprPtr places;
  if (const Tensor* known = view.InputValue(1)) {
    const Tensor found = KnownPlaces(view, *known);
    places = relay::MakeConstant(found.Reshaped({found.elements()}));
  } else if (condition[0] == 0) {
    places = relay::MakeConstant(Tensor(DType::kInt64, {0}));
  } else {
    places = view.Reshape(Places(view, view.Input(1)), condition);
  }
  return {view.Call("take", {data, places}, {{"axis", axis}})};
}

// A threshold or limit as a scalar; `otherwise` if it is omitted.
ExprPtr Scalar(const OnnxNodeView& view, int input, const Tensor& otherwise) {
  if (!view.HasInput(input)) return relay::MakeConstant(otherwise);
  if (ElementCount(view.InputShape(input)) != 1) {
    RefuseNode(fmt::format("input {} is {}; it must be one number", input, ShapeText(view.InputShape(input))));
  }
  return view.Reshape(view.Input(input), {});
}

// Upper bound of the number of boxes of a class.
int64_t MostOfClass(const OnnxNodeView& view) {
  const int64_t boxes = view.InputRank(0) == 3 ? view.InputShape(0)[1] : 0;
  if (!view.HasInput(2)) return 0;
  const auto* known = view.InputValue(2);
  if (known == nullptr || known->elements() != 1 || IsFloat(known->dtype())) return boxes;
  return std::clamp<int64_t>(IntegerAt(*known, 0), 0, boxes);
}

// Scores of which those behind a count exceed no threshold, so that their boxes are never taken.
ExprPtr ScoresOfCounted(const OnnxNodeView& view, double least) {
  TypedBuilder& builder = view.builder();
  const ExprPtr &boxes = view.Input(0), &scores = view.Input(1);
  if (view.InputRank(0) == 3 && view.InputRank(1) == 3) {
    builder.RequireEqual(ExtentOf(builder, boxes, 0), ExtentOf(builder, scores, 0));
    builder.RequireEqual(ExtentOf(builder, boxes, 1), ExtentOf(builder, scores, 2));
  }
  return FillBehindCounts(builder, scores, least);
}

std::vector<ExprPtr> NonMaxSuppression(const OnnxNodeView& view) {
  const int64_t room = MostOfClass(view);
  if (room == 0 || ElementCount(view.InputShape(1)) == 0) return {relay::MakeConstant(Tensor(DType::kInt64, {0, 3}))};
  const int64_t is_centre = view.Int("center_point_box", 0);
  if (is_centre != 0 && is_centre != 1) RefuseNode(fmt::format("center_point_box is {}; it may be 0 or 1", is_centre));
  TypedBuilder& builder = view.builder();
  const bool is_counted = AnyCounted(builder, {view.Input(0), view.Input(1)});
  constexpr float kLeast = -std::numeric_limits<float>::infinity();
  const ExprPtr limit = Scalar(view, 2, Tensor::FromVector<int64_t>(DType::kInt64, {}, {0}));
  const ExprPtr most_overlap = Scalar(view, 3, Tensor::Scalar(0));
  const ExprPtr least_score =
      Scalar(view, 4, Tensor::Scalar(is_counted ? kLeast : std::numeric_limits<float>::quiet_NaN()));
  const ExprPtr taken = builder.Uncounted(
      "vision.all_class_non_max_suppression",
      {view.Input(0), is_counted ? ScoresOfCounted(view, kLeast) : view.Input(1), limit, most_overlap, least_score},
      {{"room", room}, {"center_point_box", is_centre == 1}});
  ExprPtr rows = builder.Item(taken, 0);
  builder.SetCounts(rows, {builder.Item(taken, 1), nullptr});
  return {rows};
}

}  // namespace

OnnxOperatorTable CountedOperators() {
  return {{"NonZero", 1, 1, NonZero, {}, {.becomes = "argwhere transpose", .takes_counts = true}},
          {"Compress", 2, 2, Compress, {"axis"}, {.becomes = "argwhere less reshape take where", .takes_counts = true}},
          {"NonMaxSuppression",
           2,
           5,
           NonMaxSuppression,
           {"center_point_box"},
           {.becomes = "vision.all_class_non_max_suppression where less", .takes_counts = true}}};
}

}  // namespace hone
