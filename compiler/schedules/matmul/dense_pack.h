// dense_pack: a matrix times packed constant weights; batch 1 is its thin case.
#pragma once

#include "compiler/schedules/schedule.h"

namespace hone {

const Schedule& DensePack();

}  // namespace hone
