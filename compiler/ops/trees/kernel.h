// Decision trees as a kernel of their own: a row's values decide where it goes next.
#pragma once

#include <string>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"

namespace hone {

class KernelBuilder;

// For a function whose whole call (ops/kernel_whole.h) is a tree_ensemble. An item is some rows. Weights are added in
// the trees' order, so that no bit depends on the item of a row. Positions in the tables may be anything: they are
// clamped, and no path is longer than the number of nodes.
EmittedKernel EmitTreeEnsemble(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
