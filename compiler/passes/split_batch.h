// Pass: the front of a network with many images runs a few images at a time, so that what lies between its layers stays
// in the caches.
#pragma once

#include "compiler/relay/expr.h"
#include "core/target.h"

namespace hone {

// While inputs and result of an operator take more than half of the machine's last-level cache (times its threads), it
// and everything before it is computed for as many images at a time as fit, and at least one; the results are joined
// along the batch. The front ends at one value that all later ones depend on and holds only operators that treat images
// alike: convolutions, pools, elementwise operators and what surrounds them. Others leave the module as it was.
relay::IRModule SplitBatch(const relay::IRModule& module, const MachineModel& machine);

}  // namespace hone
