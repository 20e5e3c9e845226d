// Origins of the extents that a graph of fused functions masks and counts with.
#pragma once

#include <string_view>
#include <unordered_map>

#include "compiler/passes/graph/needed_extents.h"
#include "compiler/relay/expr.h"

namespace hone {

// The arguments of a call by the parameters of its function. Null in the functions below stands for @main itself.
using Arguments = std::unordered_map<const relay::Expr*, relay::ExprPtr>;
Arguments ArgumentsOf(const relay::Call& call, const relay::Function& function);

// The function of a call in @main; null for any other expression.
const relay::Function* FunctionOf(const relay::ExprPtr& expr);

// The name of the operator that is called.
std::string_view OpName(const relay::Call& call);
// Whether the operator only changes the shape.
bool KeepsElements(std::string_view op);

// The parameter or call of @main whose only element is the scalar; null if it is computed within the function.
relay::ExprPtr OriginOf(relay::ExprPtr scalar, const Arguments* arguments);
// The int64 scalar of @main that all elements of a value have, perhaps as another integer type; null if there is none.
relay::ExprPtr RepeatedOrigin(relay::ExprPtr value, const Arguments* arguments);

// The extents in front of which alone a condition holds, by axis of its shape. It may be computed by another function.
NeededAxes MaskOf(const relay::ExprPtr& condition, const Arguments* arguments);

}  // namespace hone
