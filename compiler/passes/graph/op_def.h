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

// Whether each element of its result is one of a field of its one argument, a tuple: a function of single elements is
// the same before and behind it.
bool JoinsFields(const relay::OpDef& op);
// The call when it is one of such an operator, else null.
const relay::Call* AsJoin(const relay::ExprPtr& expr);

}  // namespace hone
