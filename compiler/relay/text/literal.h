// Numbers, words and lists of Relay's text as attributes and as scalar constants.
#pragma once

#include "compiler/relay/attrs.h"
#include "compiler/relay/text/token_reader.h"
#include "core/tensor.h"

namespace hone::relay {

// An attribute's value: 2, 1e-05f, True, "NCHW", [2, 2]. Throws Error(kBadData) with line and column.
AttrValue ParseAttrValue(TokenReader& reader);

// The scalar constant of a number. 0.5f is float32, 3 int32, 3i64, 0.5f64; other dtypes are named in full, as 3uint8.
// Throws Error(kBadData) with line and column for another suffix, and for a number that the dtype does not hold.
Tensor ScalarOf(const Token& number, const TokenReader& reader);

}  // namespace hone::relay
