// How much memory an operand of a kernel takes.
#pragma once

#include <cstdint>

#include "core/artifact.h"

namespace hone {

// The operand's size in memory. Throws Error(kBadData) when shape and layout do not fit each other or overflow.
int64_t PhysicalBytes(const KernelOperand& operand);

// The first dimension in memory, over which a call's batch stride goes; 1 of a scalar. Throws as PhysicalBytes does.
int64_t PhysicalImages(const KernelOperand& operand);

}  // namespace hone
