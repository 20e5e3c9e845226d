// Which operator an expression calls, and which attributes that has.
#pragma once

#include <string_view>

#include "compiler/relay/expr.h"
#include "compiler/relay/op.h"

namespace hone {

// The operator that is called; null where the expression is no call of one. Owned by the table of operators.
const relay::OpDef* DefOf(const relay::ExprPtr& expr);

// Whether calls of the operator may have such an attribute.
bool HasAttr(const relay::OpDef& op, std::string_view name, relay::AttrKind kind);

}  // namespace hone
