// Pass: lists of channels that grow are grown, not copied.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Where the first inputs of a concatenation are all inputs of another one along the same axis, it takes that one's
// result instead: concat(a, b, c) beside concat(a, b) becomes concat(concat(a, b), c), whose inputs each have one
// place.
relay::IRModule NestConcats(const relay::IRModule& module);

}  // namespace hone
