// The result of an anchor by its axes, whatever their order in memory: N C H W of a convolution, M N of a matrix, B M N
// of a batch_matmul.
#pragma once

#include "compiler/relay/expr.h"
#include "core/tensor.h"
#include "core/workload.h"

namespace hone {

Shape ResultShape(const Workload& workload);

// The call that makes the anchor's result; null if an operator behind it changes its shape.
const relay::Call* AnchorCallIn(const relay::Function& function, const Workload& workload);

// The workload with a smaller result, as a model of smaller inputs has it. Sums stay as long as they are, and so do the
// numbers of channels. A convolution reads as many positions at its far border as before.
Workload WithResult(const Workload& workload, const Shape& result);

}  // namespace hone
