// Non-maximum suppression as a kernel of its own: each box that is kept decides which may be kept next.
#pragma once

#include <string>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"

namespace hone {

class KernelBuilder;

// For a function whose whole call (ops/kernel_whole.h) is a vision.all_class_non_max_suppression. One item per class of
// an image.
EmittedKernel EmitNonMaxSuppression(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
