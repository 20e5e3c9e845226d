// conv2d_winograd_int16: F(2x2, 3x3) and F(4x4, 3x3) of bytes, computed exactly in 16-bit integers. For machines that
// multiply pairs of 16 bits (x86). Otherwise as conv2d_winograd.h.
#pragma once

#include "compiler/schedules/schedule.h"

namespace hone {

const Schedule& Conv2dWinogradInt16();

}  // namespace hone
