// Tensors of values that follow from positions: Range, Size, EyeLike, OneHot, Trilu.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/frontend/onnx/composed_node.h"
#include "compiler/frontend/onnx/computed_dims.h"
#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"
#include "core/tensor.h"

namespace hone {
namespace {

using relay::ExprPtr;

const Tensor& KnownValue(const OnnxNodeView& view, int input, std::string_view what) {
  const Tensor* value = view.InputValue(input);
  if (value == nullptr) RefuseNode(fmt::format("its {} must be known when the model is imported", what));
  return *value;
}

const Tensor& KnownScalar(const OnnxNodeView& view, int input, std::string_view what) {
  const Tensor& value = KnownValue(view, input, what);
  if (value.elements() != 1) RefuseNode(fmt::format("its {} has {} elements, not 1", what, value.elements()));
  return value;
}

double KnownNumber(const OnnxNodeView& view, int input, std::string_view what) {
  return KnownScalar(view, input, what).At(0);
}

int64_t KnownInteger(const OnnxNodeView& view, int input, std::string_view what) {
  const Tensor& value = KnownScalar(view, input, what);
  if (IsFloat(value.dtype())) RefuseNode(fmt::format("its {} is {}", what, DTypeName(value.dtype())));
  return IntegerAt(value, 0);
}

// start, start + delta, ... if one of them or the limit is computed.
ExprPtr ComputedRange(const OnnxNodeView& view) {
  TypedBuilder& builder = view.builder();
  const ExprPtr start = view.Reshape(view.Input(0), {}), limit = view.Reshape(view.Input(1), {});
  const double delta = KnownNumber(view, 2, "delta");
  if (delta == 0) RefuseNode("its delta is 0");
  const DType dtype = builder.DTypeOf(start);
  const ExprPtr length = delta > 0 ? view.Call("subtract", {limit, start}) : view.Call("subtract", {start, limit});
  const double size = std::abs(delta);
  ExprPtr count;
  if (IsFloat(dtype)) {
    count = AsDType(view, view.Call("ceil", {WithScalar(view, "divide", length, size)}), DType::kInt64);
  } else {
    const ExprPtr wide = AsDType(view, length, DType::kInt64);
    count = WithScalar(view, "divide", WithScalar(view, "add", wide, size - 1), size);
  }
  count = WithScalar(view, "maximum", count, 0);
  const Tensor* from = view.InputValue(0);
  const auto bound = builder.BoundOf(AsDType(view, limit, DType::kInt64));
  const bool tells = from != nullptr && bound && delta > 0 && !IsFloat(dtype) && !builder.BoundOf(count);
  const int64_t most =
      tells ? std::max<int64_t>(0, static_cast<int64_t>(std::ceil((static_cast<double>(*bound) - from->At(0)) / delta)))
            : MostOf(view, count, "limit");
  const ExprPtr steps = WithScalar(view, "multiply", AsDType(view, Positions(most, 0, 1), dtype), delta);
  ExprPtr range = view.Call("add", {start, steps});
  builder.SetCounts(range, {count});
  return range;
}

// An uninitialised tensor of `count` elements. Throws if the number is implausible.
Tensor RangeOf(const OnnxNodeView& view, double count) {
  if (!(count < 1e9)) RefuseNode(fmt::format("it has {} elements", count));
  const DType dtype = view.builder().DTypeOf(view.Input(0));
  const auto length = static_cast<int64_t>(std::max(count, 0.0));
  view.builder().Spend(length * DTypeBytes(dtype));
  return {dtype, {length}};
}

Tensor RangeOfReals(const OnnxNodeView& view) {
  const double start = KnownNumber(view, 0, "start"), limit = KnownNumber(view, 1, "limit");
  const double delta = KnownNumber(view, 2, "delta");
  if (delta == 0) RefuseNode("its delta is 0");
  Tensor range = RangeOf(view, std::ceil((limit - start) / delta));
  for (int64_t i = 0; i < range.elements(); ++i) range.Set(i, start + static_cast<double>(i) * delta);
  return range;
}

// Avoids double, which does not hold every int64.
Tensor RangeOfIntegers(const OnnxNodeView& view) {
  const int64_t start = KnownInteger(view, 0, "start"), limit = KnownInteger(view, 1, "limit");
  const int64_t delta = KnownInteger(view, 2, "delta");
  if (delta == 0) RefuseNode("its delta is 0");
  // A distance of two int64 needs an unsigned 64-bit integer.
  const bool rises = delta > 0, any = rises ? start < limit : start > limit;
  const auto from = static_cast<uint64_t>(rises ? start : limit), to = static_cast<uint64_t>(rises ? limit : start);
  const uint64_t step = rises ? static_cast<uint64_t>(delta) : 0 - static_cast<uint64_t>(delta);
  Tensor range = RangeOf(view, any ? static_cast<double>((to - from - 1) / step + 1) : 0);
  for (int64_t i = 0; i < range.elements(); ++i) {
    SetInteger(
        range, i,
        static_cast<int64_t>(static_cast<uint64_t>(start) + static_cast<uint64_t>(i) * static_cast<uint64_t>(delta)));
  }
  return range;
}

std::vector<ExprPtr> Range(const OnnxNodeView& view) {
  if (view.InputValue(0) == nullptr || view.InputValue(1) == nullptr) return {ComputedRange(view)};
  const bool reals = IsFloat(view.builder().DTypeOf(view.Input(0)));
  return {relay::MakeConstant(reals ? RangeOfReals(view) : RangeOfIntegers(view))};
}

// Without a delta it is 1.
std::vector<ExprPtr> RangeByOne(const OnnxNodeView& view) {
  const ExprPtr& start = view.Input(0);
  return {
      Composed(view, "Range", {start, view.Input(1), view.HasInput(2) ? view.Input(2) : ScalarLike(view, start, 1)})};
}

std::vector<ExprPtr> Size(const OnnxNodeView& view) {
  ExprPtr elements = CountOf(1);
  for (int64_t d = 0; d < view.InputRank(0); ++d) {
    elements = view.Call("multiply", {elements, ExtentOf(view.builder(), view.Input(0), d)});
  }
  return {elements};
}

std::vector<ExprPtr> EyeLike(const OnnxNodeView& view) {
  const Shape& shape = view.InputShape(0);
  if (shape.size() != 2) RefuseNode(fmt::format("its data is {}, it must be a matrix", ShapeText(shape)));
  const DType given = view.builder().DTypeOf(view.Input(0));
  const DType dtype = view.HasAttr("dtype") ? CastTarget(view.Int("dtype", 1)) : given;
  view.builder().Spend(ElementCount(shape) * DTypeBytes(dtype));
  Tensor eye(dtype, shape);
  const int64_t k = std::clamp(view.Int("k", 0), -shape[0], shape[1]);
  for (int64_t row = std::max<int64_t>(0, -k); row < shape[0] && row + k < shape[1]; ++row) {
    eye.Set(row * shape[1] + row + k, 1);
  }
  const ExprPtr result = relay::MakeConstant(std::move(eye));
  view.builder().SetCounts(result, view.builder().CountsOf(view.Input(0)));
  return {result};
}

// `on` at the position along the new axis that equals the index, which may count from the end.
std::vector<ExprPtr> OneHot(const OnnxNodeView& view) {
  constexpr double kDeepest = 1 << 24;
  const double depth = KnownNumber(view, 1, "depth");
  if (!(depth >= 1 && depth <= kDeepest)) RefuseNode(fmt::format("depth is {}; it may be 1 to {}", depth, kDeepest));
  const int64_t rank = view.InputRank(0) + 1, axis = OnnxNodeView::Axis(view.Int("axis", -1), rank);
  if (view.InputShape(2) != Shape{2}) RefuseNode("its values must be two: off and on");
  const auto value = [&](int64_t i) {
    const std::vector<int64_t> begin{i}, end{i + 1}, strides{1}, axes{0};
    return view.Reshape(view.Call("strided_slice", {view.Input(2)},
                                  {{"begin", begin}, {"end", end}, {"strides", strides}, {"axes", axes}}),
                        {});
  };
  const ExprPtr given = AsDType(view, view.Input(0), DType::kInt64);
  const ExprPtr below = WithScalar(view, "less", given, 0);
  const ExprPtr index = view.Call("where", {below, WithScalar(view, "add", given, depth), given});
  const ExprPtr column = view.Call("expand_dims", {index}, {{"axis", axis}, {"num_newaxis", int64_t{1}}});
  const ExprPtr here = view.Call("equal", {column, Positions(static_cast<int64_t>(depth), axis, rank)});
  return {view.Call("where", {here, value(1), value(0)})};
}

// A table of the elements that stay; the others become zeros.
std::vector<ExprPtr> Trilu(const OnnxNodeView& view) {
  const Shape& shape = view.InputShape(0);
  if (shape.size() < 2) RefuseNode(fmt::format("its data is {}, it must have matrices", ShapeText(shape)));
  const int64_t rows = shape[shape.size() - 2], columns = shape.back();
  view.builder().Spend(rows * columns);
  const double given = view.HasInput(1) ? KnownNumber(view, 1, "k") : 0;
  const auto k = std::clamp(static_cast<int64_t>(given), -rows - 1, columns + 1);
  const std::string_view op = view.Int("upper", 1) != 0 ? "greater_equal" : "less_equal";
  const int64_t rank = view.InputRank(0);
  const ExprPtr stays = view.Call(op, {PositionsAlong(view.builder(), view.Input(0), rank - 1, 1, 2),
                                       PositionsAlong(view.builder(), view.Input(0), rank - 2, 0, 2, k)});
  return {view.Call("where", {stays, view.Input(0), ScalarLike(view, view.Input(0), 0)})};
}

}  // namespace

OnnxOperatorTable PatternOperators() {
  return {{"Range", 3, 3, Range, {"stash_type"}, {.becomes = "add divide maximum subtract", .takes_counts = true}},
          {"Range", 2, 3, RangeByOne, {}, {}, kMicrosoft},
          {"Size", 1, 1, Size, {}, {.becomes = "multiply", .takes_counts = true}},
          {"EyeLike", 1, 1, EyeLike, {"dtype", "k"}, {.takes_counts = true}},
          {"OneHot", 3, 3, OneHot, {"axis"}, {.becomes = "add equal expand_dims less where", .takes_counts = true}},
          {"Trilu", 1, 2, Trilu, {"upper"}, {.becomes = "where", .takes_counts = true}},
          {"Trilu", 1, 2, Trilu, {"upper"}, {}, kMicrosoft}};
}

}  // namespace hone
