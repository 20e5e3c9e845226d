// Scattered updates as a kernel of their own: where one goes, and what is there already, follows from data.
#pragma once

#include <string>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"

namespace hone {

class KernelBuilder;

// Of a function whose whole call (whole_call.h) is a scatter_elements or a scatter_nd. The updates that may meet are
// one item's, in their order. An update whose position is outside is left out.
EmittedKernel EmitScatter(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
