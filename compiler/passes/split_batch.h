// Pass: the front of a network with many images runs a few images at a time. The values between its layers then stay in
// the caches.
//
//    batch of 8:   conv -> conv -> pool -> rest
//    becomes       images 0..3: conv -> conv -> pool --+
//                  images 4..7: conv -> conv -> pool --+-> concatenate -> rest
#pragma once

#include "compiler/relay/expr.h"
#include "core/machine/target.h"

namespace hone {

// The front holds operators whose inputs and result exceed half of the machine's last-level cache (times its threads),
// and everything before them. It is computed for as many images at a time as fit, at least one, and the results are
// joined along the batch. The front ends at one value that all later ones depend on. It holds only operators that treat
// images alike: convolutions, pools, elementwise operators and those between them. Other operators leave the module as
// it was.
relay::IRModule SplitBatch(const relay::IRModule& module, const MachineModel& machine);

}  // namespace hone
