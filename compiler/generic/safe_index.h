// Positions that come from data.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// A scalar index as i64, negative ones counted from the back, brought inside [0, extent): it may be anything, and a bad
// one must read no foreign memory.
Value* SafeIndex(KernelBuilder& b, Value* index, int64_t extent);

}  // namespace hone
