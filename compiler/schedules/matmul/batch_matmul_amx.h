// batch_matmul_amx: products of two computed matrices of bfloat16 with Intel AMX's tile registers, as in attention.
#pragma once

#include "compiler/schedules/schedule.h"

namespace hone {

const Schedule& BatchMatmulAmx();

}  // namespace hone
