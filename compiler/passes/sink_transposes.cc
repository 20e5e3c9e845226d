#include <algorithm>
#include <optional>

#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/fold_constants.h"
#include "compiler/passes/graph/op_def.h"
#include "compiler/passes/graph/transposes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"
#include "core/nth.h"

namespace hone {

using relay::AttrKind;
using relay::Call;
using relay::ExprPtr;
using relay::OpDef;
using relay::OpPattern;

namespace {

// The transpose of the operator of `call`, with the given attributes, on the tensor before `transpose`.
ExprPtr Below(const Call& call, const Call& transpose, relay::Attrs attrs) {
  std::vector<ExprPtr> args = call.args;
  args[0] = transpose.args[0];
  return Transposed(TypedCall(relay::AsOp(call.op)->def->name, std::move(args), std::move(attrs), call.name),
                    TransposeAxes(transpose), transpose.name);
}

ExprPtr JoinAdjacent(const ExprPtr& node, const Uses&) { return JoinTransposes(node); }

// The argument of a broadcasting operator rearranged for a result before a transpose by `axes`; null if that costs as
// much as it saves.
ExprPtr Unbroadcast(const ExprPtr& arg, const Axes& axes, const Shape& result) {
  const Shape& shape = ShapeOf(arg);
  if (!IsStatic(shape)) return nullptr;
  if (ElementCount(shape) == 1) return arg;
  const Call* transpose = AsTranspose(arg);
  const bool free = relay::AsConstant(arg) != nullptr || (transpose != nullptr && TransposeAxes(*transpose) == axes);
  if (!free && ElementCount(shape) * 2 > ElementCount(result)) return nullptr;
  Shape full(result.size() - shape.size(), 1);
  full.insert(full.end(), shape.begin(), shape.end());
  if (full == shape) return Transposed(arg, Inverse(axes));
  return Transposed(FoldedIfConstant(TypedReshape(arg, full)), Inverse(axes));
}

// Elementwise and broadcasting operators whose attributes name no axis.
ExprPtr SinkBelowBroadcast(const ExprPtr& node, const Uses&) {
  const Call* call = relay::AsCall(node);
  const OpDef* op = DefOf(node);
  if (op == nullptr || op->pattern > OpPattern::kBroadcast || node->type->kind != relay::TypeKind::kTensor)
    return nullptr;
  if (HasAttr(*op, "axis", AttrKind::kInt) || HasAttr(*op, "shape", AttrKind::kInts)) return nullptr;
  const Shape& result = ShapeOf(node);
  const auto main = std::find_if(call->args.begin(), call->args.end(), [&](const ExprPtr& arg) {
    return AsTranspose(arg) != nullptr && ShapeOf(arg) == result;
  });
  if (main == call->args.end() || !IsStatic(result)) return nullptr;
  const Axes axes = TransposeAxes(*AsTranspose(*main));
  std::vector<ExprPtr> args;
  for (const ExprPtr& arg : call->args) {
    args.push_back(Unbroadcast(arg, axes, result));
    if (args.back() == nullptr) return nullptr;
  }
  return Transposed(TypedCall(op->name, std::move(args), call->attrs, call->name), axes, AsTranspose(*main)->name);
}

// Operators that name one axis of their first argument and keep its rank.
ExprPtr SinkBelowOneAxis(const ExprPtr& node, const Uses&) {
  for (const char* name : {"nn.bias_add", "nn.prelu", "nn.softmax", "nn.log_softmax", "take"}) {
    const Call* call = relay::AsCallTo(node, name);
    const Call* transpose = call ? AsTranspose(call->args[0]) : nullptr;
    if (transpose == nullptr) continue;
    const Axes axes = TransposeAxes(*transpose);
    if (ShapeOf(node).size() != axes.size()) return nullptr;
    relay::Attrs attrs = call->attrs;
    attrs.Set("axis", Nth(axes, FromFront(call->attrs.GetInt("axis"), axes.size())));
    return Below(*call, *transpose, std::move(attrs));
  }
  return nullptr;
}

ExprPtr SinkBelowPad(const ExprPtr& node, const Uses&) {
  const Call* pad = relay::AsCallTo(node, "nn.pad");
  const Call* transpose = pad ? AsTranspose(pad->args[0]) : nullptr;
  if (transpose == nullptr) return nullptr;
  const Axes axes = TransposeAxes(*transpose);
  const std::vector<int64_t> width = pad->attrs.GetInts("pad_width");
  std::vector<int64_t> before(width.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    for (size_t side : {0, 1}) before[2 * static_cast<size_t>(axes[i]) + side] = width[2 * i + side];
  }
  relay::Attrs attrs = pad->attrs;
  attrs.Set("pad_width", before);
  return Below(*pad, *transpose, std::move(attrs));
}

ExprPtr SinkBelowSlice(const ExprPtr& node, const Uses&) {
  const Call* slice = relay::AsCallTo(node, "strided_slice");
  const Call* transpose = slice ? AsTranspose(slice->args[0]) : nullptr;
  if (transpose == nullptr) return nullptr;
  const Axes axes = TransposeAxes(*transpose);
  std::vector<int64_t> sliced = slice->attrs.GetInts("axes");
  if (sliced.empty()) {
    for (size_t i = 0; i < slice->attrs.GetInts("begin").size(); ++i) sliced.push_back(static_cast<int64_t>(i));
  }
  for (int64_t& axis : sliced) axis = Nth(axes, FromFront(axis, axes.size()));
  relay::Attrs attrs = slice->attrs;
  attrs.Set("axes", sliced);
  return Below(*slice, *transpose, std::move(attrs));
}

// The transpose's axes after a reduction: positions of the remaining axes among those that remain before the transpose.
Axes AxesLeft(const Axes& axes, const std::vector<int64_t>& reduced) {
  Axes left;
  for (const int64_t axis : axes) {
    if (std::find(reduced.begin(), reduced.end(), axis) == reduced.end()) left.push_back(axis);
  }
  Axes in_order = left;
  std::sort(in_order.begin(), in_order.end());
  for (int64_t& axis : left) axis = std::find(in_order.begin(), in_order.end(), axis) - in_order.begin();
  return left;
}

ExprPtr SinkBelowReduction(const ExprPtr& node, const Uses&) {
  const Call* call = relay::AsCall(node);
  const OpDef* op = DefOf(node);
  const bool reduces = op != nullptr && op->attrs.size() == 2 && HasAttr(*op, "axis", AttrKind::kInts) &&
                       HasAttr(*op, "keepdims", AttrKind::kBool);
  const Call* transpose = reduces ? AsTranspose(call->args[0]) : nullptr;
  if (transpose == nullptr) return nullptr;
  const Axes axes = TransposeAxes(*transpose);
  std::vector<int64_t> reduced = call->attrs.GetInts("axis");
  for (int64_t& axis : reduced) axis = Nth(axes, FromFront(axis, axes.size()));
  if (reduced.empty()) reduced = axes;
  relay::Attrs attrs = call->attrs;
  attrs.Set("axis", reduced);
  const ExprPtr result = TypedCall(op->name, {transpose->args[0]}, std::move(attrs), call->name);
  return Transposed(result, call->attrs.GetBool("keepdims") ? axes : AxesLeft(axes, reduced), transpose->name);
}

ExprPtr SinkBelowConcat(const ExprPtr& node, const Uses&) {
  const Call* concat = relay::AsCallTo(node, "concatenate");
  const relay::Tuple* tuple = concat ? relay::AsTuple(concat->args[0]) : nullptr;
  if (tuple == nullptr) return nullptr;
  std::optional<Axes> axes;
  for (const ExprPtr& field : tuple->fields) {
    const Call* transpose = AsTranspose(field);
    if (transpose == nullptr || (axes && *axes != TransposeAxes(*transpose))) return nullptr;
    axes = TransposeAxes(*transpose);
  }
  if (!axes) return nullptr;
  std::vector<ExprPtr> fields;
  fields.reserve(tuple->fields.size());
  for (const ExprPtr& field : tuple->fields) fields.push_back(AsTranspose(field)->args[0]);
  const int64_t axis = Nth((*axes), FromFront(concat->attrs.GetInt("axis"), axes->size()));
  return Transposed(TypedCall("concatenate", {TypedTuple(std::move(fields))}, {{"axis", axis}}, concat->name), *axes);
}

// Handles a split item by item; EliminateCommon joins equal splits later.
ExprPtr SinkBelowSplitItem(const ExprPtr& node, const Uses&) {
  const relay::TupleGetItem* item = relay::AsTupleGetItem(node);
  const Call* split = item ? relay::AsCallTo(item->tuple, "split") : nullptr;
  const Call* transpose = split ? AsTranspose(split->args[0]) : nullptr;
  if (transpose == nullptr) return nullptr;
  const Axes axes = TransposeAxes(*transpose);
  relay::Attrs attrs = split->attrs;
  attrs.Set("axis", Nth(axes, FromFront(split->attrs.GetInt("axis"), axes.size())));
  const ExprPtr before = TypedCall("split", {transpose->args[0]}, std::move(attrs), split->name);
  return Transposed(TypedItem(before, item->index), axes, transpose->name);
}

ExprPtr TransposeAsReshape(const ExprPtr& node, const Uses&) {
  const Call* transpose = AsTranspose(node);
  if (transpose == nullptr || !MovesOnesOnly(*transpose)) return nullptr;
  return TypedCall("reshape", transpose->args, {{"newshape", ShapeOf(node)}}, transpose->name);
}

// Number of elements that transposes move.
int64_t ElementsMoved(const relay::IRModule& module) {
  int64_t moved = 0;
  for (const ExprPtr& node : PostOrder(module.main->body)) {
    const Call* transpose = AsTranspose(node);
    if (transpose == nullptr || relay::AsConstant(transpose->args[0]) != nullptr || MovesOnesOnly(*transpose)) continue;
    if (IsStatic(ShapeOf(node))) moved += ElementCount(ShapeOf(node));
  }
  return moved;
}

}  // namespace

relay::IRModule SinkTransposes(const relay::IRModule& module) {
  relay::IRModule reshaped = RewriteByRules(module, {TransposeAsReshape});
  const int64_t before = ElementsMoved(module);
  if (before == 0) return reshaped;
  const relay::IRModule sunk =
      RewriteByRules(module, {JoinAdjacent, SinkBelowBroadcast, SinkBelowOneAxis, SinkBelowPad, SinkBelowSlice,
                              SinkBelowReduction, SinkBelowConcat, SinkBelowSplitItem});
  return ElementsMoved(sunk) < before ? RewriteByRules(sunk, {TransposeAsReshape}) : reshaped;
}

}  // namespace hone
