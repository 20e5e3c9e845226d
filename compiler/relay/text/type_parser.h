// Types in Relay's text: the reverse of ToText(TypePtr).
#pragma once

#include "compiler/relay/text/token_reader.h"
#include "compiler/relay/type.h"

namespace hone::relay {

// Reads Tensor[(1, ?), float32], Tensor[(1, 64), float32, NCHW16c], float32, (T, T) or fn (T) -> T. Throws
// Error(kBadData) with line and column, also for dims whose product overflows.
TypePtr ParseType(TokenReader& reader);

}  // namespace hone::relay
