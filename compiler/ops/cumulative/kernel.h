// Running sums and products as a kernel of its own: each element depends on the previous one.
#pragma once

#include <string>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"

namespace hone {

class KernelBuilder;

// For a function whose whole call (ops/kernel_whole.h) is a cumsum or a cumprod. Elements are added in the axis's
// order, so that results depend neither on threads nor on vectors. Integers wrap.
EmittedKernel EmitCumulative(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
