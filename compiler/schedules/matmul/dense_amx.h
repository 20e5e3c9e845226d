// dense_amx: a matrix of several rows times constant weights, in bfloat16 or bytes, with Intel AMX's tile registers.
#pragma once

#include "compiler/schedules/schedule.h"

namespace hone {

const Schedule& DenseAmx();

}  // namespace hone
