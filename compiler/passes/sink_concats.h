// Pass: operators on a concatenation move to its parts, whose kernels can fuse them.
//
//    concat(a, b) -> relu   becomes   concat(relu(a), relu(b))
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Moves float32 elementwise operators of one argument on a concatenation that nothing else reads. A constant bias moves
// too if the concatenation is along channels.
relay::IRModule SinkConcats(const relay::IRModule& module);

}  // namespace hone
