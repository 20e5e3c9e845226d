// Regions of images as a kernel of their own: what is read follows from data.
#pragma once

#include <string>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"

namespace hone {

class KernelBuilder;

// Of a function whose whole call (whole_call.h) is a vision.roi_align. An item is some channels of a region. A region
// of an image that is not there reads the nearest that is.
EmittedKernel EmitRoiAlign(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
