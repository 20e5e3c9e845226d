// Pooled regions of images as a kernel of its own: data decide what is read.
#pragma once

#include <string>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"

namespace hone {

class KernelBuilder;

// For a function whose whole call (ops/kernel_whole.h) is a vision.roi_align. An item is some channels of a region. A
// region whose image index is outside the batch reads the nearest image.
EmittedKernel EmitRoiAlign(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
