// Decision trees as a kernel of their own: where a row goes next depends on what it holds.
#pragma once

#include <string>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"

namespace hone {

class KernelBuilder;

// Of a function whose whole call (whole_call.h) is a tree_ensemble. An item is some rows. Weights are added in the
// trees' order, so that no bit depends on the item that a row is in. Positions in the tables may be anything: they are
// brought inside, and no way down is longer than there are nodes.
EmittedKernel EmitTreeEnsemble(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
