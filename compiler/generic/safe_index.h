// Positions that come from data.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// A scalar index as i64, clamped to [0, extent); negative ones count from the back. The index may be anything, and a
// bad one must not read foreign memory.
Value* SafeIndex(KernelBuilder& b, Value* index, int64_t extent);

}  // namespace hone
