#include "compiler/generic/joined_axes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "compiler/relay/arguments.h"
#include "compiler/relay/op.h"
#include "core/nth.h"

namespace hone {
namespace {

enum class AxisStep : uint8_t { kNone, kOne, kSeveral };

// The step from one position along the axes to the next, for an operand with at most as many axes as `whole`.
AxisStep StepAlong(const Shape& operand, const Shape& whole, size_t first, size_t last) {
  const size_t added = whole.size() - operand.size();
  const auto varies = [&](size_t axis) { return axis >= added && operand[axis - added] != 1; };
  for (size_t axis = first; axis <= last; ++axis) {
    if (whole[axis] == 1 || varies(axis) != varies(first)) return AxisStep::kSeveral;
  }
  return varies(first) ? AxisStep::kOne : AxisStep::kNone;
}

// Operators with channels along an axis do not broadcast by numpy's rules.
bool IsBroadcast(const relay::Call& call) {
  const relay::OpDef& op = *relay::AsOp(call.op)->def;
  const bool pointwise = op.pattern == relay::OpPattern::kElementwise || op.pattern == relay::OpPattern::kBroadcast;
  return pointwise && op.name != "nn.bias_add" && op.name != "nn.prelu";
}

// Neighbouring axes of an argument at which a call reads what it gives at neighbouring axes of its own.
struct ReadAxes {
  relay::ExprPtr argument;
  size_t first = 0, last = 0;
};

// A call that takes out or adds positions at the ends of some axes.
struct EndsMoved {
  std::vector<size_t> axes;
  std::vector<int64_t> strides;  // as long, or empty: 1
  bool Has(size_t axis) const { return std::find(axes.begin(), axes.end(), axis) != axes.end(); }
};

size_t FromFront(int64_t axis, size_t rank) { return static_cast<size_t>(relay::NormalizedAxis(axis, rank)); }

// Whether positions along [first, last] of the call's result, as one axis, are those of its argument plus a constant:
// only the outermost of them may begin elsewhere.
bool ShiftsOneAxis(const EndsMoved& moved, size_t first, size_t last) {
  for (size_t i = 0; i < moved.axes.size(); ++i) {
    const size_t at = moved.axes[i];
    if (at < first || at > last) continue;
    if (at > first || (!moved.strides.empty() && moved.strides[i] != 1)) return false;
  }
  return true;
}

EndsMoved EndsMovedBySlice(const relay::Call& slice) {
  auto axes = slice.attrs.GetInts("axes");
  const auto strides = slice.attrs.GetInts("strides");
  for (size_t d = axes.size(); d < slice.attrs.GetInts("begin").size(); ++d) axes.push_back(static_cast<int64_t>(d));
  const Shape &from = TensorTypeOf(slice.args[0]).shape, &to = slice.type->shape;
  EndsMoved moved;
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t at = FromFront(axes[i], to.size());
    const int64_t stride = strides.empty() ? 1 : strides[i];
    if (stride == 1 && from[at] == to[at]) continue;  // the whole axis
    moved.axes.push_back(at);
    moved.strides.push_back(stride);
  }
  return moved;
}

EndsMoved EndsMovedByPad(const relay::Call& pad) {
  const auto width = pad.attrs.GetInts("pad_width");
  EndsMoved moved;
  for (size_t d = 0; 2 * d + 1 < width.size(); ++d) {
    if (width[2 * d] != 0 || width[2 * d + 1] != 0) moved.axes.push_back(d);
  }
  return moved;
}

// The axes of its arguments that a call reads along its own [first, last], if it moves elements and reads them as one
// axis. nullopt for other calls.
std::optional<std::vector<ReadAxes>> ReadAsOneAxis(const Evaluator& e, const relay::Call& call, size_t first,
                                                   size_t last) {
  const std::string& name = relay::AsOp(call.op)->def->name;
  if (name == "strided_slice" && ShiftsOneAxis(EndsMovedBySlice(call), first, last)) {
    return {{{call.args[0], first, last}}};
  }
  if (name == "nn.pad") {
    const EndsMoved moved = EndsMovedByPad(call);
    const bool inside = e.padded == &call || !moved.Has(first);
    if (inside && ShiftsOneAxis(moved, first, last)) return {{{call.args[0], first, last}}};
  }
  if (name == "concatenate") {
    const EndsMoved moved{{FromFront(call.attrs.GetInt("axis"), call.type->shape.size())}, {}};
    const auto field = e.FieldOf(&call);
    if (!ShiftsOneAxis(moved, first, last) || (!field && moved.Has(first))) return std::nullopt;
    std::vector<ReadAxes> fields;
    for (const relay::ExprPtr& one : FlatArgs(call)) fields.push_back({one, first, last});
    return field ? std::vector<ReadAxes>{Nth(fields, *field)} : fields;
  }
  if (name != "take") return std::nullopt;
  const size_t indices = TensorTypeOf(call.args[1]).shape.size(), data = TensorTypeOf(call.args[0]).shape.size();
  const size_t axis = FromFront(call.attrs.GetInt("axis"), data);
  if (first < axis + indices) return std::nullopt;
  return {{{call.args[0], first + 1 - indices, last + 1 - indices}}};
}

}  // namespace

bool IsOneAxis(const Evaluator& e, const relay::ExprPtr& expr, const Shape& whole, size_t first, size_t last) {
  const AxisStep step = StepAlong(TensorTypeOf(expr).shape, whole, first, last);
  if (step != AxisStep::kOne) return step == AxisStep::kNone;
  const relay::Call* call = relay::AsCall(expr);
  const size_t added = whole.size() - TensorTypeOf(expr).shape.size();
  if (const auto* item = relay::AsTupleGetItem(expr)) {
    const relay::Call* split = relay::AsCallTo(item->tuple, "split");
    return split != nullptr &&
           ShiftsOneAxis({{FromFront(split->attrs.GetInt("axis", 0), whole.size() - added)}, {}}, first - added,
                         last - added) &&
           IsOneAxis(e, split->args[0], TensorTypeOf(split->args[0]).shape, first - added, last - added);
  }
  if (call == nullptr) return relay::AsConstant(expr) != nullptr || e.FlatOperand(expr) != nullptr;
  if (const auto reads = ReadAsOneAxis(e, *call, first - added, last - added)) {
    return std::all_of(reads->begin(), reads->end(), [&](const ReadAxes& read) {
      return IsOneAxis(e, read.argument, TensorTypeOf(read.argument).shape, read.first, read.last);
    });
  }
  return IsBroadcast(*call) && std::all_of(call->args.begin(), call->args.end(), [&](const relay::ExprPtr& arg) {
           return IsOneAxis(e, arg, whole, first, last);
         });
}

}  // namespace hone
