// The memory size of a kernel's operand.
#pragma once

#include <cstdint>

#include "core/artifact.h"

namespace hone {

// The operand's size in memory. Throws Error(kBadData) when shape and layout do not fit each other or overflow.
int64_t PhysicalBytes(const KernelOperand& operand);

// The first dimension in memory, which a call's batch stride steps over; 1 for a scalar. Throws as PhysicalBytes does.
int64_t PhysicalImages(const KernelOperand& operand);

}  // namespace hone
