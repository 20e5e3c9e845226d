// Pass: growing lists of channels are extended, not copied.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// The first inputs of one concatenation may be all inputs of another along the same axis. The first one then takes the
// other's result instead, so that each input has one place in memory:
//
//    concat(a, b) and concat(a, b, c)   becomes   concat(a, b) and concat(concat(a, b), c)
relay::IRModule NestConcats(const relay::IRModule& module);

}  // namespace hone
