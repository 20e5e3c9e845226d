// Positions of nonzero elements, as a kernel of its own: where one is written depends on how many precede it.
#pragma once

#include <string>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"

namespace hone {

class KernelBuilder;

// For a function whose whole call (ops/kernel_whole.h) is an argwhere.
EmittedKernel EmitArgwhere(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
