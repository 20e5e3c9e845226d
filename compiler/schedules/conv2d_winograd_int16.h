// conv2d_winograd_int16: F(2x2, 3x3) and F(4x4, 3x3) of bytes in whole numbers of 16 bits, exact, for machines that
// multiply pairs of 16 bits (x86): conv2d_winograd.h with other numbers.
#pragma once

#include "compiler/schedules/schedule.h"

namespace hone {

const Schedule& Conv2dWinogradInt16();

}  // namespace hone
