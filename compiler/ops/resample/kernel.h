// Images read at computed positions, as a kernel of its own, so that all channels share the computation of a position.
#pragma once

#include <string>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"

namespace hone {

class KernelBuilder;

// For a function whose whole call (ops/kernel_whole.h) is an image.grid_sample.
EmittedKernel EmitGridSample(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
