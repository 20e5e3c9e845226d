#include "compiler/passes/graph/channelwise.h"

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"

namespace hone {

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

}  // namespace hone
