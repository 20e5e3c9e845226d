#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>

#include "compiler/passes/convolutions/conv_passes.h"
#include "compiler/passes/graph/fold_constants.h"
#include "compiler/passes/graph/op_def.h"
#include "compiler/passes/graph/transposes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "core/nth.h"

namespace hone {

using relay::AttrKind;
using relay::Attrs;
using relay::Call;
using relay::ExprPtr;
using relay::OpDef;
using relay::OpPattern;
using Ints = std::vector<int64_t>;

namespace {

constexpr int kMostWindowSteps = 32;  // limit of the search for a window
constexpr size_t kRank = 3;           // N, C, W

constexpr std::array<std::string_view, 6> kWindows{"nn.conv2d",     "nn.conv2d_transpose",  "nn.max_pool2d",
                                                   "nn.avg_pool2d", "nn.global_avg_pool2d", "nn.global_max_pool2d"};
constexpr std::array<std::string_view, 9> kFollow{"concatenate",   "nn.interleave", "nn.pad",
                                                  "strided_slice", "split",         "take",
                                                  "nn.batch_norm", "nn.softmax",    "nn.log_softmax"};

template <typename Names>
bool IsIn(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The operands of an expression, or the tuple that an item is taken from.
std::vector<ExprPtr> Sources(const ExprPtr& expr) {
  if (const relay::TupleGetItem* item = relay::AsTupleGetItem(expr)) return {item->tuple};
  if (const relay::Tuple* tuple = relay::AsTuple(expr)) return tuple->fields;
  const OpDef* op = DefOf(expr);
  const bool follows = op != nullptr && (op->pattern <= OpPattern::kBroadcast || IsIn(kFollow, op->name));
  return follows ? relay::AsCall(expr)->args : std::vector<ExprPtr>{};
}

// Whether a convolution or pool is among the expressions that this one is computed from.
bool IsOfWindow(const ExprPtr& expr, int& steps) {
  const OpDef* op = DefOf(expr);
  if (op != nullptr && IsIn(kWindows, op->name)) return true;
  if (--steps < 0) return false;
  const std::vector<ExprPtr> sources = Sources(expr);
  return std::any_of(sources.begin(), sources.end(), [&](const ExprPtr& source) { return IsOfWindow(source, steps); });
}

// N, C, W as the reshape of an image of one row or one column.
struct Rows {
  ExprPtr image;
  Axes axes;  // axis i is the image's axis axes[i]

  size_t One() const { return axes[2] == 3 ? 2 : 3; }
};

std::optional<Rows> AsRows(const ExprPtr& expr) {
  const Call* reshape = relay::AsCallTo(expr, "reshape");
  const Call* call = reshape != nullptr ? reshape : relay::AsCallTo(expr, "squeeze");
  if (call == nullptr) return {};
  const Shape &shape = ShapeOf(expr), &image = ShapeOf(call->args[0]);
  if (shape.size() != kRank || image.size() != kRank + 1 || !IsStatic(shape) || !IsStatic(image)) return {};
  for (const Axes& axes : {Axes{0, 1, 3}, Axes{0, 1, 2}}) {
    const Rows rows{call->args[0], axes};
    if (Shape{image[0], image[1], Nth(image, axes[2])} == shape && image[rows.One()] == 1) {
      int steps = kMostWindowSteps;
      return IsOfWindow(rows.image, steps) ? std::optional(rows) : std::nullopt;
    }
  }
  return {};
}

ExprPtr FoldedReshape(const ExprPtr& expr, const Shape& shape, const std::string& name = "") {
  return FoldedIfConstant(TypedReshape(expr, shape, name));
}

// The operator of `call` on the image with the given attributes, reshaped to rows.
ExprPtr Behind(const Call& call, const Rows& rows, Attrs attrs) {
  std::vector<ExprPtr> args = call.args;
  args[0] = rows.image;
  const ExprPtr image = TypedCall(relay::AsOp(call.op)->def->name, std::move(args), std::move(attrs), call.name);
  return FoldedReshape(image, call.type->shape, call.name);
}

// The argument in a shape that broadcasts against the image as it did against rows; null if its shape is not known.
ExprPtr OnImage(const ExprPtr& arg, const Rows& rows) {
  Shape shape = ShapeOf(arg);
  if (!IsStatic(shape)) return nullptr;
  if (ElementCount(shape) == 1) return arg;
  const auto own = AsRows(arg);
  if (own && own->axes == rows.axes) return own->image;
  shape.insert(shape.begin(), kRank - shape.size(), 1);
  shape.insert(shape.begin() + static_cast<int64_t>(rows.One()), 1);
  return FoldedReshape(arg, shape);
}

ExprPtr BroadcastRows(const ExprPtr& node, const Uses&) {
  const OpDef* op = DefOf(node);
  if (op == nullptr || op->pattern > OpPattern::kBroadcast || node->type->kind != relay::TypeKind::kTensor)
    return nullptr;
  if (HasAttr(*op, "axis", AttrKind::kInt) || HasAttr(*op, "shape", AttrKind::kInts)) return nullptr;
  const Call& call = *relay::AsCall(node);
  std::optional<Rows> rows;
  for (size_t i = 0; i < call.args.size() && !rows; ++i) {
    if (ShapeOf(call.args[i]) == ShapeOf(node)) rows = AsRows(call.args[i]);
  }
  if (!rows) return nullptr;
  std::vector<ExprPtr> args;
  for (const ExprPtr& arg : call.args) {
    args.push_back(OnImage(arg, *rows));
    if (args.back() == nullptr) return nullptr;
  }
  return FoldedReshape(TypedCall(op->name, std::move(args), call.attrs, call.name), ShapeOf(node), call.name);
}

// Operators that name one axis of their first argument and keep its rank.
ExprPtr OneAxisOfRows(const ExprPtr& node, const Uses&) {
  for (const char* name : {"nn.bias_add", "nn.prelu", "nn.softmax", "nn.log_softmax", "take"}) {
    const Call* call = relay::AsCallTo(node, name);
    const auto rows = call != nullptr ? AsRows(call->args[0]) : std::nullopt;
    if (!rows || ShapeOf(node).size() != kRank) continue;
    Attrs attrs = call->attrs;
    attrs.Set("axis", Nth(rows->axes, FromFront(call->attrs.GetInt("axis"), kRank)));
    return Behind(*call, *rows, std::move(attrs));
  }
  return nullptr;
}

ExprPtr PadRows(const ExprPtr& node, const Uses&) {
  const Call* pad = relay::AsCallTo(node, "nn.pad");
  const auto rows = pad != nullptr ? AsRows(pad->args[0]) : std::nullopt;
  if (!rows) return nullptr;
  Attrs attrs = pad->attrs;
  Ints width = attrs.GetInts("pad_width");
  width.insert(width.begin() + static_cast<int64_t>(2 * rows->One()), 2, 0);
  attrs.Set("pad_width", width);
  return Behind(*pad, *rows, std::move(attrs));
}

ExprPtr SliceRows(const ExprPtr& node, const Uses&) {
  const Call* slice = relay::AsCallTo(node, "strided_slice");
  const auto rows = slice != nullptr ? AsRows(slice->args[0]) : std::nullopt;
  if (!rows) return nullptr;
  Ints sliced = slice->attrs.GetInts("axes");
  if (sliced.empty()) {
    sliced.resize(slice->attrs.GetInts("begin").size());
    std::iota(sliced.begin(), sliced.end(), int64_t{0});
  }
  for (int64_t& axis : sliced) axis = Nth(rows->axes, FromFront(axis, kRank));
  Attrs attrs = slice->attrs;
  attrs.Set("axes", sliced);
  return Behind(*slice, *rows, std::move(attrs));
}

// A reduction over columns is one over the image's columns. One that names no axis reduces all axes.
ExprPtr ReduceRows(const ExprPtr& node, const Uses&) {
  const Call* call = relay::AsCall(node);
  const OpDef* op = DefOf(node);
  const bool reduces =
      op != nullptr && HasAttr(*op, "axis", AttrKind::kInts) && HasAttr(*op, "keepdims", AttrKind::kBool);
  if (!reduces || call->attrs.GetBool("exclude")) return nullptr;
  const auto rows = AsRows(call->args[0]);
  if (!rows) return nullptr;
  Ints reduced = call->attrs.GetInts("axis");
  for (int64_t& axis : reduced) axis = Nth(rows->axes, FromFront(axis, kRank));
  if (std::find(reduced.begin(), reduced.end(), rows->axes[2]) != reduced.end()) {
    reduced.push_back(static_cast<int64_t>(rows->One()));
  }
  Attrs attrs = call->attrs;
  attrs.Set("axis", reduced);
  return Behind(*call, *rows, std::move(attrs));
}

ExprPtr ConcatRows(const ExprPtr& node, const Uses&) {
  const Call* concat = relay::AsCallTo(node, "concatenate");
  const relay::Tuple* tuple = concat != nullptr ? relay::AsTuple(concat->args[0]) : nullptr;
  if (tuple == nullptr) return nullptr;
  std::optional<Rows> rows;
  for (size_t i = 0; i < tuple->fields.size() && !rows; ++i) rows = AsRows(tuple->fields[i]);
  if (!rows) return nullptr;
  std::vector<ExprPtr> fields;
  for (const ExprPtr& field : tuple->fields) {
    const auto own = AsRows(field);
    if (!own || own->axes != rows->axes) return nullptr;
    fields.push_back(own->image);
  }
  Attrs attrs = concat->attrs;
  attrs.Set("axis", Nth(rows->axes, FromFront(concat->attrs.GetInt("axis"), kRank)));
  const ExprPtr image = TypedCall("concatenate", {TypedTuple(std::move(fields))}, std::move(attrs), concat->name);
  return FoldedReshape(image, ShapeOf(node), concat->name);
}

// An item of a split, or the first item of a batch norm.
ExprPtr ItemOfRows(const ExprPtr& node, const Uses&) {
  const relay::TupleGetItem* item = relay::AsTupleGetItem(node);
  if (item == nullptr) return nullptr;
  const Call* split = relay::AsCallTo(item->tuple, "split");
  const Call* call = split != nullptr ? split : relay::AsCallTo(item->tuple, "nn.batch_norm");
  const auto rows = call != nullptr ? AsRows(call->args[0]) : std::nullopt;
  if (!rows || (split == nullptr && item->index != 0)) return nullptr;
  std::vector<ExprPtr> args = call->args;
  args[0] = rows->image;
  Attrs attrs = call->attrs;
  attrs.Set("axis", Nth(rows->axes, FromFront(call->attrs.GetInt("axis", split != nullptr ? 0 : 1), kRank)));
  const ExprPtr image = TypedCall(DefOf(item->tuple)->name, std::move(args), std::move(attrs), call->name);
  return FoldedReshape(TypedItem(image, item->index), ShapeOf(node), call->name);
}

// Removes a reshape that turns rows back into their image.
ExprPtr AsImageAgain(const ExprPtr& node, const Uses&) {
  for (const char* name : {"reshape", "expand_dims"}) {
    const Call* call = relay::AsCallTo(node, name);
    const auto rows = call != nullptr ? AsRows(call->args[0]) : std::nullopt;
    if (rows && ShapeOf(node) == ShapeOf(rows->image)) return rows->image;
  }
  return nullptr;
}

}  // namespace

relay::IRModule RowsAsPlanes(const relay::IRModule& module) {
  return RewriteByRules(
      module, {AsImageAgain, BroadcastRows, OneAxisOfRows, PadRows, SliceRows, ReduceRows, ConcatRows, ItemOfRows});
}

}  // namespace hone
