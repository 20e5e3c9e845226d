// Pass: operators that differ between training and inference become what they are at inference.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// nn.dropout is its input; the first item of nn.batch_norm is a multiplication and an addition by values per channel,
// of shape (C,1,...,1): constants when the statistics are, else computed.
relay::IRModule SimplifyInference(const relay::IRModule& module);

}  // namespace hone
