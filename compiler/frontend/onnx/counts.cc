#include "compiler/frontend/onnx/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include "compiler/frontend/onnx/count_rules.h"
#include "compiler/frontend/onnx/expressions.h"
#include "compiler/frontend/onnx/typed_builder.h"
#include "compiler/relay/op.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone {

using relay::ExprPtr;

bool AnyCounted(const TypedBuilder& builder, const std::vector<ExprPtr>& args) {
  return std::any_of(args.begin(), args.end(), [&](const ExprPtr& arg) {
    const relay::Tuple* tuple = relay::AsTuple(arg);
    return tuple != nullptr ? AnyCounted(builder, tuple->fields) : !builder.CountsOf(arg).empty();
  });
}

bool IsCounted(const TypedBuilder& builder, const ExprPtr& value, int64_t axis) {
  const Counts& counts = builder.CountsOf(value);
  return !counts.empty() && Nth(counts, axis) != nullptr;
}

ExprPtr CountOf(int64_t number) {
  return relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {}, {number}));
}

ExprPtr ExtentOf(const TypedBuilder& builder, const ExprPtr& value, int64_t axis) {
  if (IsCounted(builder, value, axis)) return Nth(builder.CountsOf(value), axis);
  return CountOf(Nth(builder.ShapeOf(value), axis));
}

ExprPtr FillBehindCounts(TypedBuilder& builder, const ExprPtr& data, double fill) {
  const Counts counts = builder.CountsOf(data);
  const auto rank = static_cast<int64_t>(counts.size());
  ExprPtr is_there;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (Nth(counts, axis) == nullptr) continue;
    const ExprPtr places = Positions(Nth(builder.ShapeOf(data), axis), axis, rank);
    const ExprPtr below = builder.Call("less", {places, Nth(counts, axis)});
    is_there = is_there == nullptr ? below : builder.Call("logical_and", {is_there, below});
  }
  if (is_there == nullptr) return data;
  Tensor other(builder.DTypeOf(data), {});
  other.Set(0, fill);
  const ExprPtr filled = builder.Uncounted("where", {is_there, data, relay::MakeConstant(std::move(other))});
  builder.SetCounts(filled, counts);
  return filled;
}

namespace {

// The least or largest value of a type, which a search never prefers.
double Extreme(DType dtype, bool least) {
  if (IsFloat(dtype)) return least ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  switch (dtype) {
    case DType::kInt8:
      return least ? -128 : 127;
    case DType::kUInt8:
      return least ? 0 : 255;
    case DType::kBool:
      return least ? 0 : 1;
    case DType::kInt32:
      return least ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int32_t>::max();
    default:
      // The largest magnitudes of int64 that a double holds.
      return least ? -std::ldexp(1.0, 63) : std::nextafter(std::ldexp(1.0, 63), 0.0);
  }
}

// A mean divides by the number of valid elements.
ExprPtr CountedMean(TypedBuilder& builder, const ExprPtr& data, const relay::Attrs& attrs) {
  const Counts& counts = builder.CountsOf(data);
  const ExprPtr sum = builder.Call("sum", {data}, attrs);
  ExprPtr elements = CountOf(1);
  for (const int64_t axis : FoldedAxes(attrs, counts.size())) {
    elements = builder.Call("multiply", {elements, ExtentOf(builder, data, axis)});
  }
  const relay::Attrs as{{"dtype", std::string(DTypeName(builder.DTypeOf(data)))}};
  return builder.Call("divide", {sum, builder.Call("cast", {elements}, as)});
}

// Whether the call folds an axis whose extent is counted.
bool FoldsCounted(const TypedBuilder& builder, const ExprPtr& data, const relay::Attrs& attrs) {
  const Counts& counts = builder.CountsOf(data);
  const relay::AttrValue* axis = attrs.Find("axis");
  const int64_t* one = axis == nullptr ? nullptr : std::get_if<int64_t>(axis);
  if (counts.empty() || axis == nullptr) return !counts.empty();
  if (one != nullptr) return Nth(counts, *one < 0 ? *one + static_cast<int64_t>(counts.size()) : *one) != nullptr;
  const std::vector<int64_t> axes = FoldedAxes(attrs, counts.size());
  return std::any_of(axes.begin(), axes.end(), [&](int64_t each) { return Nth(counts, each) != nullptr; });
}

// The value behind the counts of the first argument that a search or sum ignores; nullopt if none is needed.
std::optional<double> NeutralOf(std::string_view op, DType dtype, const relay::Attrs& attrs) {
  if (op == "sum" || op == "argwhere") return 0;
  if (op == "prod") return 1;
  if (op == "max" || op == "argmax" || op == "nn.softmax" || op == "nn.log_softmax") return Extreme(dtype, true);
  if (op == "min" || op == "argmin") return Extreme(dtype, false);
  if (op == "topk") return Extreme(dtype, !attrs.GetBool("is_ascend"));
  return std::nullopt;
}

// The argument that holds positions. These must be valid behind the counts too, because they are read.
std::optional<size_t> PositionsOf(std::string_view op) {
  if (op == "take" || op == "gather" || op == "gather_nd") return 1;
  return op == "vision.roi_align" ? std::optional<size_t>(2) : std::nullopt;
}

// The arguments with neutral values behind their counts, so that the result does not depend on these.
std::vector<ExprPtr> Neutral(TypedBuilder& builder, std::string_view op, std::vector<ExprPtr> args,
                             const relay::Attrs& attrs) {
  if (const auto positions = PositionsOf(op)) args[*positions] = FillBehindCounts(builder, args[*positions], 0);
  if (relay::AsTuple(args[0]) != nullptr || !FoldsCounted(builder, args[0], attrs)) return args;
  const auto fill = NeutralOf(op, builder.DTypeOf(args[0]), attrs);
  if (fill) args[0] = FillBehindCounts(builder, args[0], *fill);
  return args;
}

}  // namespace

ExprPtr CallOnCounted(TypedBuilder& builder, std::string_view op, std::vector<ExprPtr> args,
                      const relay::Attrs& attrs) {
  // The complete attributes, as rules read them.
  const relay::Attrs complete = relay::AsCall(relay::MakeCall(op, args, attrs))->attrs;
  if (op == "mean") return CountedMean(builder, args[0], complete);
  if (op == "concatenate") return JoinCounted(builder, args[0], complete.GetInt("axis"));
  args = Neutral(builder, op, std::move(args), complete);
  const ExprPtr result = builder.Uncounted(op, args, attrs);
  builder.SetCounts(result, CountsOfResult(builder, op, args, complete, result));
  return result;
}

}  // namespace hone
