// dense_amx: matrix product of several rows of bfloat16 with Intel AMX's tile registers.
#pragma once

#include "compiler/schedules/schedule.h"

namespace hone {

const Schedule& DenseAmx();

}  // namespace hone
