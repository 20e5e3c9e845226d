#include "compiler/passes/graph/channelwise.h"

#include <algorithm>

#include "compiler/passes/graph/op_def.h"
#include "compiler/passes/graph/typed_graph.h"

namespace hone {
namespace {

// Whether it is a constant that does not vary over images, rows and columns.
bool IsOnePerChannel(const relay::ExprPtr& expr) {
  if (relay::AsConstant(expr) == nullptr) return false;
  const Shape& shape = ShapeOf(expr);
  const size_t kept = shape.size() - std::min<size_t>(shape.size(), 2);
  const auto is_one = [](int64_t extent) { return extent == 1; };
  return (shape.size() < 4 || shape[0] == 1) &&
         std::all_of(shape.begin() + static_cast<int64_t>(kept), shape.end(), is_one);
}

}  // namespace

bool IsImage(const relay::ExprPtr& expr) { return relay::IsFloatImage(expr->type) && IsStatic(ShapeOf(expr)); }

bool IsUnary(const relay::Call& call) {
  const relay::Op* op = relay::AsOp(call.op);
  return op != nullptr && call.args.size() == 1 && op->def->pattern == relay::OpPattern::kElementwise &&
         relay::IsFloatTensor(call.type);
}

bool IsBias(const relay::Call& call) {
  const relay::Op* op = relay::AsOp(call.op);
  return op != nullptr && op->def->name == "nn.bias_add" && call.attrs.GetInt("axis", 1) == 1;
}

bool TreatsPixelsAlike(const relay::Call& call) {
  const relay::OpDef& op = *relay::AsOp(call.op)->def;
  if (IsBias(call)) return true;
  const bool names = HasAttr(op, "axis", relay::AttrKind::kInt) || HasAttr(op, "shape", relay::AttrKind::kInts);
  if (op.pattern > relay::OpPattern::kBroadcast || names) return false;
  return std::all_of(call.args.begin() + 1, call.args.end(), IsOnePerChannel);
}

}  // namespace hone
