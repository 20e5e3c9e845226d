// Schedule "dense_dots" of nn.dense: one sum at a time, in plain loops.
#pragma once

#include "compiler/schedules/schedule.h"

namespace hone {

const Schedule& DenseDots();

}  // namespace hone
