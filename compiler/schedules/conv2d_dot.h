// conv2d_dot: convolutions with fewer outputs than a vector has lanes. Lanes are input channels, so that none idles;
// each output is a dot product whose lanes are added up at its end. Any kernel size, stride and dilation; one group;
// floats.
#pragma once

#include "compiler/schedules/schedule.h"

namespace hone {

const Schedule& Conv2dDot();

}  // namespace hone
