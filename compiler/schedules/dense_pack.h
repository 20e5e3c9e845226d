// dense_pack: matrix product with packed weights, and batch 1 as the thin case of it.
#pragma once

#include "compiler/schedules/schedule.h"

namespace hone {

const Schedule& DensePack();

}  // namespace hone
