// Recurrent layers as kernels of their own: the loop over time is inside.
#pragma once

#include <string>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"

namespace hone {

class KernelBuilder;

// Of a function whose whole call (whole_call.h) is an nn.recurrent. One item per direction and group of a few rows,
// which share each load of the weight. A unit's sum has one order, so that no bit depends on the group that its row is
// in.
EmittedKernel EmitRecurrent(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
