// Pass: operators that differ between training and inference take their form at inference.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// nn.dropout becomes its input. The first item of nn.batch_norm becomes a multiplication and an addition by values per
// channel, of shape (C,1,...,1). They are constants if the statistics are; otherwise the graph computes them.
relay::IRModule SimplifyInference(const relay::IRModule& module);

}  // namespace hone
