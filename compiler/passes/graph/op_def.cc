#include "compiler/passes/graph/op_def.h"

#include <algorithm>

namespace hone {

const relay::OpDef* DefOf(const relay::ExprPtr& expr) {
  const relay::Call* call = relay::AsCall(expr);
  const relay::Op* op = call != nullptr ? relay::AsOp(call->op) : nullptr;
  return op != nullptr ? op->def : nullptr;
}

bool HasAttr(const relay::OpDef& op, std::string_view name, relay::AttrKind kind) {
  return std::any_of(op.attrs.begin(), op.attrs.end(),
                     [&](const relay::AttrSpec& attr) { return attr.name == name && attr.kind == kind; });
}

bool JoinsFields(const relay::OpDef& op) { return op.name == "concatenate" || op.name == "nn.interleave"; }

const relay::Call* AsJoin(const relay::ExprPtr& expr) {
  const relay::OpDef* op = DefOf(expr);
  return op != nullptr && JoinsFields(*op) ? relay::AsCall(expr) : nullptr;
}

}  // namespace hone
