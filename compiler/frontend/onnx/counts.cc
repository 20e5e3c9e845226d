#include "compiler/frontend/onnx/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "compiler/frontend/onnx/count_join.h"
#include "compiler/frontend/onnx/count_reshape.h"
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
  std::vector<int64_t> axes(builder.CountsOf(data).size());
  std::iota(axes.begin(), axes.end(), 0);
  return FillBehindCounts(builder, data, fill, axes);
}

ExprPtr FillBehindCounts(TypedBuilder& builder, const ExprPtr& data, double fill, const std::vector<int64_t>& axes) {
  const Counts counts = builder.CountsOf(data);
  const auto rank = static_cast<int64_t>(counts.size());
  ExprPtr is_there;
  for (const int64_t axis : axes) {
    if (!IsCounted(builder, data, axis)) continue;
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

ExprPtr OnlyCounted(TypedBuilder& builder, ExprPtr data, const std::vector<int64_t>& axes) {
  const Counts counts = builder.CountsOf(data);
  for (const int64_t axis : axes) {
    if (!IsCounted(builder, data, axis)) continue;
    data = builder.Uncounted("first_positions", {data, Nth(counts, axis)}, {{"axis", axis}});
    builder.SetCounts(data, counts);
  }
  return data;
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

// The axes that the call folds and whose extents are counted.
std::vector<int64_t> FoldedCounted(const TypedBuilder& builder, const ExprPtr& data, const relay::Attrs& attrs) {
  const auto rank = static_cast<int64_t>(builder.CountsOf(data).size());
  const relay::AttrValue* axis = attrs.Find("axis");
  const int64_t* one = axis == nullptr ? nullptr : std::get_if<int64_t>(axis);
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  if (one != nullptr) axes = {*one < 0 ? *one + rank : *one};
  if (one == nullptr && axis != nullptr) axes = FoldedAxes(attrs, static_cast<size_t>(rank));
  std::erase_if(axes, [&](int64_t each) { return !IsCounted(builder, data, each); });
  return axes;
}

// The value behind the counts of the first argument that a search or sum ignores; nullopt if none is needed.
std::optional<double> NeutralOf(std::string_view op, DType dtype, const relay::Attrs& attrs) {
  if (op == "sum" || op == "argwhere") return 0;
  if (op == "cumsum" && attrs.GetBool("reverse")) return 0;
  if (op == "prod" || (op == "cumprod" && attrs.GetBool("reverse"))) return 1;
  if (op == "max" || op == "argmax" || op == "nn.softmax" || op == "nn.log_softmax") return Extreme(dtype, true);
  if (op == "min" || op == "argmin") return Extreme(dtype, false);
  if (op == "topk") return Extreme(dtype, !attrs.GetBool("is_ascend"));
  return std::nullopt;
}

bool IsCountedFrom(const TypedBuilder& builder, const ExprPtr& value, size_t axis) {
  const Counts& counts = builder.CountsOf(value);
  return std::any_of(counts.begin() + static_cast<std::ptrdiff_t>(std::min(axis, counts.size())), counts.end(),
                     [](const ExprPtr& count) { return count != nullptr; });
}

std::vector<int64_t> AxesBehind(const TypedBuilder& builder, const ExprPtr& data, int64_t first) {
  std::vector<int64_t> axes;
  for (auto d = first; d < static_cast<int64_t>(builder.ShapeOf(data).size()); ++d) axes.push_back(d);
  return axes;
}

// The axes along which a window of the call may reach behind the data. Those of one position do not.
std::vector<int64_t> WindowAxes(const TypedBuilder& builder, const ExprPtr& data, const relay::Attrs& attrs) {
  const auto sizes = attrs.GetInts("kernel_size", attrs.GetInts("pool_size", {})), padding = attrs.GetInts("padding");
  std::vector<int64_t> axes = AxesBehind(builder, data, 2);
  std::erase_if(axes, [&, spatial = axes.size()](int64_t axis) {
    const auto i = static_cast<size_t>(axis - 2);
    const auto is = [](const std::vector<int64_t>& values, size_t at, int64_t value) {
      return !values.empty() && values[values.size() == 1 ? 0 : at] == value;
    };
    const bool padded = !is(padding, i, 0) || (padding.size() > 1 && !is(padding, spatial + i, 0));
    return is(sizes, i, 1) && !padded;
  });
  return axes;
}

// The value that windows must find behind the counts of the axes along which they move; nullopt if none is needed.
std::optional<double> BesideWindows(const TypedBuilder& builder, std::string_view op, const ExprPtr& data,
                                    const relay::Attrs& attrs) {
  if (op == "nn.pad") {
    const std::vector<int64_t> width = attrs.GetInts("pad_width");
    for (size_t d = 0; 2 * d < width.size(); ++d) {
      if (width[2 * d + 1] > 0 && IsCounted(builder, data, static_cast<int64_t>(d))) return attrs.GetFloat("pad_value");
    }
    return std::nullopt;
  }
  if (!op.starts_with("nn.conv") && !op.starts_with("nn.max_pool") && !op.starts_with("nn.avg_pool"))
    return std::nullopt;
  if (!IsCountedFrom(builder, data, 2) || WindowAxes(builder, data, attrs).empty()) return std::nullopt;
  return op.starts_with("nn.max_pool") ? -std::numeric_limits<double>::infinity() : 0;
}

bool IsZero(const ExprPtr& value) {
  const relay::Constant* constant = relay::AsConstant(value);
  return constant != nullptr && constant->value.elements() == 1 && constant->value.At(0) == 0;
}

// The value that another one, zeros at some positions, has at all others: the operand of a reshape, a cast, or a choice
// between it and 0. Null if it has none.
ExprPtr BesideZeros(const ExprPtr& value) {
  if (const relay::Call* choice = relay::AsCallTo(value, "where")) {
    if (IsZero(choice->args[1])) return choice->args[2];
    return IsZero(choice->args[2]) ? choice->args[1] : nullptr;
  }
  for (const std::string_view op : {"reshape", "cast"}) {
    if (const relay::Call* call = relay::AsCallTo(value, op)) return call->args[0];
  }
  return nullptr;
}

// Whether the value is 0 behind the count of its last axis, because it is a softmax along that axis. Rows of NaN are
// NaN there too, unless zeros replace them.
bool IsSoftmax(const TypedBuilder& builder, ExprPtr value) {
  const int64_t last = builder.ShapeOf(value).back();
  for (ExprPtr from = BesideZeros(value); from != nullptr; from = BesideZeros(value)) {
    value = from;
    if (builder.ShapeOf(value).empty() || builder.ShapeOf(value).back() != last) return false;
  }
  const relay::Call* softmax = relay::AsCallTo(value, "nn.softmax");
  if (softmax == nullptr) return false;
  const int64_t axis = softmax->attrs.GetInt("axis", -1);
  return axis == -1 || axis + 1 == static_cast<int64_t>(builder.ShapeOf(value).size());
}

// Whether what lies behind the value's counts is finite in each run: the rows of a state, whatever moved them.
bool IsFiniteBehind(const TypedBuilder& builder, ExprPtr value) {
  for (const relay::Call* call = relay::AsCall(value); call != nullptr; call = relay::AsCall(value)) {
    const std::string_view op = relay::AsOp(call->op)->def->name;
    if (op == "append_rows") {
      return !call->attrs.GetBool("ends") && builder.Appends(call->args[0], call->attrs.GetInt("axis"));
    }
    const bool moves = op == "reshape" || op == "transpose" || op == "expand_dims" || op == "squeeze";
    if (!moves && op != "broadcast_to") return false;
    value = call->args[0];
  }
  return false;
}

// The operands of a product with zeros behind the count of the axis that it sums over. Zeros in one are enough where
// the other is finite.
std::vector<ExprPtr> WithDepthsFilled(TypedBuilder& builder, std::string_view op, std::vector<ExprPtr> args,
                                      const relay::Attrs& attrs) {
  const auto last = static_cast<int64_t>(builder.ShapeOf(args[0]).size()) - 1;
  const int64_t depth = op == "nn.dense" || attrs.GetBool("transpose_b") ? last : last - 1;
  if (!IsSoftmax(builder, args[0])) args[0] = FillBehindCounts(builder, args[0], 0, {last});
  if (!IsFiniteBehind(builder, args[1])) args[1] = FillBehindCounts(builder, args[1], 0, {depth});
  return args;
}

// A mean over windows that leaves padding out: the sum over each, divided by the number of elements in it.
ExprPtr CountedWindowMean(TypedBuilder& builder, std::string_view op, const ExprPtr& data, relay::Attrs attrs) {
  attrs.Set("count_include_pad", true);
  Shape shape = builder.ShapeOf(data);
  Counts counts = builder.CountsOf(data);
  shape[0] = shape[1] = 1;
  counts[0] = nullptr;
  Tensor ones(builder.DTypeOf(data), shape);
  for (int64_t i = 0; i < ones.elements(); ++i) ones.Set(i, 1);
  builder.Spend(ones.size_bytes());
  const ExprPtr there = relay::MakeConstant(std::move(ones));
  builder.SetCounts(there, std::move(counts));
  return builder.Call("divide", {builder.Call(op, {data}, attrs), builder.Call(op, {there}, attrs)});
}

// The axes of counted data from which the operator picks positions; none for any other operator.
std::vector<int64_t> PickedAxes(const TypedBuilder& builder, std::string_view op, const std::vector<ExprPtr>& args,
                                const relay::Attrs& attrs) {
  const auto rank = static_cast<int64_t>(builder.CountsOf(args[0]).size());
  if (rank == 0) return {};
  if (op == "take" || op == "gather") return {attrs.GetInt("axis") + (attrs.GetInt("axis") < 0 ? rank : 0)};
  if (op != "gather_nd") return {};
  std::vector<int64_t> axes(static_cast<size_t>(attrs.GetInt("batch_dims") + builder.ShapeOf(args[1])[0]));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

// A pool over whole planes is a reduction.
ExprPtr CountedPlanes(TypedBuilder& builder, std::string_view op, const ExprPtr& data) {
  std::vector<int64_t> axes;
  for (size_t d = 2; d < builder.ShapeOf(data).size(); ++d) axes.push_back(static_cast<int64_t>(d));
  return builder.Call(op.starts_with("nn.global_max") ? "max" : "mean", {data}, {{"axis", axes}, {"keepdims", true}});
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
  if (relay::AsTuple(args[0]) != nullptr) return args;
  if (const auto fill = BesideWindows(builder, op, args[0], attrs)) {
    args[0] = FillBehindCounts(builder, args[0], *fill,
                               op == "nn.pad" ? AxesBehind(builder, args[0], 0) : WindowAxes(builder, args[0], attrs));
  }
  // A pick needs only the positions of a run, which nothing else tells.
  args[0] = OnlyCounted(builder, args[0], PickedAxes(builder, op, args, attrs));
  if (op == "nn.dense" || op == "nn.batch_matmul") return WithDepthsFilled(builder, op, std::move(args), attrs);
  const auto fill = NeutralOf(op, builder.DTypeOf(args[0]), attrs);
  if (fill) args[0] = FillBehindCounts(builder, args[0], *fill, FoldedCounted(builder, args[0], attrs));
  return args;
}

// The value with at most `most` along the axis, which the count does not exceed.
ExprPtr Cut(TypedBuilder& builder, const ExprPtr& value, size_t axis, int64_t most) {
  const Counts counts = builder.CountsOf(value);
  const ExprPtr cut = builder.Uncounted("strided_slice", {value},
                                        {{"begin", std::vector<int64_t>{0}},
                                         {"end", std::vector<int64_t>{most}},
                                         {"axes", std::vector<int64_t>{static_cast<int64_t>(axis)}}});
  builder.SetCounts(cut, counts);
  return cut;
}

}  // namespace

std::vector<ExprPtr> WithOneDim(TypedBuilder& builder, std::vector<ExprPtr> args, const std::vector<int64_t>& axes) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] >= 0 && IsCounted(builder, args[i], axes[i]))
      least = std::min(least, Nth(builder.ShapeOf(args[i]), axes[i]));
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0 || !IsCounted(builder, args[i], axes[i]) || Nth(builder.ShapeOf(args[i]), axes[i]) <= least)
      continue;
    args[i] = Cut(builder, args[i], static_cast<size_t>(axes[i]), least);
  }
  return args;
}

namespace {

// The arguments with equal dimensions along the axes whose extents must be equal.
std::vector<ExprPtr> Trimmed(TypedBuilder& builder, std::string_view op, std::vector<ExprPtr> args) {
  const relay::OpPattern pattern = relay::FindOp(op)->pattern;
  if (op == "nn.batch_matmul") return WithOneDim(builder, std::move(args), {0, 0});
  if (args.size() < 2 || (pattern != relay::OpPattern::kElementwise && pattern != relay::OpPattern::kBroadcast)) {
    return args;
  }
  size_t rank = 0;
  for (const ExprPtr& arg : args) rank = std::max(rank, builder.ShapeOf(arg).size());
  for (size_t behind = 1; behind <= rank; ++behind) {
    std::vector<int64_t> axes;
    for (const ExprPtr& arg : args) {
      axes.push_back(static_cast<int64_t>(builder.ShapeOf(arg).size()) - static_cast<int64_t>(behind));
    }
    args = WithOneDim(builder, std::move(args), axes);
  }
  return args;
}

}  // namespace

ExprPtr CallOnCounted(TypedBuilder& builder, std::string_view op, std::vector<ExprPtr> args,
                      const relay::Attrs& attrs) {
  // The complete attributes, as rules read them.
  const relay::Attrs complete = relay::AsCall(relay::MakeCall(op, args, attrs))->attrs;
  if (op == "mean" && !FoldedCounted(builder, args[0], complete).empty())
    return CountedMean(builder, args[0], complete);
  if (op == "concatenate") return JoinCounted(builder, args[0], complete.GetInt("axis"));
  if (op == "reshape" || op == "nn.batch_flatten") {
    return ReshapeByDims(builder, args[0], builder.ShapeOf(builder.Uncounted(op, args, attrs)));
  }
  if (op.starts_with("nn.global_") && IsCountedFrom(builder, args[0], 2)) return CountedPlanes(builder, op, args[0]);
  if (op.starts_with("nn.avg_pool") && IsCountedFrom(builder, args[0], 2) && !complete.GetBool("count_include_pad")) {
    return CountedWindowMean(builder, op, args[0], complete);
  }
  args = Neutral(builder, op, Trimmed(builder, op, std::move(args)), complete);
  const ExprPtr result = builder.Uncounted(op, args, attrs);
  builder.SetCounts(result, CountsOfResult(builder, op, args, complete, result));
  return result;
}

}  // namespace hone
