// The operator that an expression calls, and its attributes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "compiler/relay/attrs.h"
#include "compiler/relay/expr.h"
#include "compiler/relay/op.h"

namespace hone {

// The called operator; null if the expression calls none. Owned by the table of operators.
const relay::OpDef* DefOf(const relay::ExprPtr& expr);

// Whether calls of the operator may have this attribute.
bool HasAttr(const relay::OpDef& op, std::string_view name, relay::AttrKind kind);

// Whether each element of its result is an element of one field of its only argument, a tuple. An elementwise function
// may then be applied before or after it.
bool JoinsFields(const relay::OpDef& op);
// The call if its operator joins fields in this way, else null.
const relay::Call* AsJoin(const relay::ExprPtr& expr);

// The attributes of convolutions and pools in their full form. "padding" as top, left, bottom, right: given as one
// number, as two (H, W) or as four; zeros when absent.
std::array<int64_t, 4> Padding4(const relay::Attrs& attrs);
// "strides" or "dilation" as H, W: given as one number or two; ones when absent.
std::array<int64_t, 2> Pair(const relay::Attrs& attrs, std::string_view name);

}  // namespace hone
