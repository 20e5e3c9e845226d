#include "compiler/generic/one_axis.h"

#include <algorithm>

#include "compiler/relay/op.h"

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

}  // namespace

bool IsOneAxis(const Evaluator& e, const relay::ExprPtr& expr, const Shape& whole, size_t first, size_t last) {
  const AxisStep step = StepAlong(TensorTypeOf(expr).shape, whole, first, last);
  if (step != AxisStep::kOne) return step == AxisStep::kNone;
  const relay::Call* call = relay::AsCall(expr);
  if (call == nullptr) return relay::AsConstant(expr) != nullptr || e.FlatOperand(expr) != nullptr;
  return IsBroadcast(*call) && std::all_of(call->args.begin(), call->args.end(), [&](const relay::ExprPtr& arg) {
           return IsOneAxis(e, arg, whole, first, last);
         });
}

}  // namespace hone
