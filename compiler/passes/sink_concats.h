// Pass: what is done to joined tensors is done to the parts, whose kernels can take it in.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// A float32 elementwise operator of one argument on a concatenation that nothing else uses becomes the concatenation of
// that operator on each part; so does a constant bias on one of channels.
relay::IRModule SinkConcats(const relay::IRModule& module);

}  // namespace hone
