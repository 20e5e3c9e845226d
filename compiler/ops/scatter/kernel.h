// Scattered updates as a kernel of its own: data decide where an update goes and what is there already.
#pragma once

#include <string>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"

namespace hone {

class KernelBuilder;

// For a function whose whole call (ops/kernel_whole.h) is a scatter_elements or a scatter_nd. Updates that may meet
// belong to one item, in their order. An update whose position is outside is skipped.
EmittedKernel EmitScatter(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
