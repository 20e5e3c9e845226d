// conv2d_depthwise: one filter per channel, in NCHWc. Vectors run over channels; an input row is read once per kernel
// row and shared by its taps.
#pragma once

#include "compiler/schedules/schedule.h"

namespace hone {

const Schedule& Conv2dDepthwise();

}  // namespace hone
