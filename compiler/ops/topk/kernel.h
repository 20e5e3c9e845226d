// The best elements along an axis as a kernel of its own: chosen elements decide which are examined next.
#pragma once

#include <string>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"

namespace hone {

class KernelBuilder;

// For a function whose whole call (ops/kernel_whole.h) is a topk. One item per line along the axis.
EmittedKernel EmitTopK(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
