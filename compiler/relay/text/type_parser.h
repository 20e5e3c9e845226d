// Types, attributes and scalar constants in Relay's text.
#pragma once

#include "compiler/relay/attrs.h"
#include "compiler/relay/text/lexer.h"
#include "compiler/relay/type.h"
#include "core/tensor.h"

namespace hone::relay {

// The reverse of ToText(TypePtr): reads Tensor[(1, ?), float32], Tensor[(1, 64), float32, NCHW16c], float32, (T, T) or
// fn (T) -> T. Throws Error(kBadData) with line and column, also for dims whose product overflows.
TypePtr ParseType(TokenReader& reader);

// An attribute's value: 2, 1e-05f, True, "NCHW", [2, 2]. Throws Error(kBadData) with line and column.
AttrValue ParseAttrValue(TokenReader& reader);

// The scalar constant of a number. 0.5f is float32, 3 int32, 3i64, 0.5f64; other dtypes are named in full, as 3uint8.
// Throws Error(kBadData) with line and column for another suffix, and for a number that the dtype does not hold.
Tensor ScalarOf(const Token& number, const TokenReader& reader);

}  // namespace hone::relay
