// Reads of elements that lie anywhere, with one instruction for several lanes.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// Whether such an instruction pays for vectors of so many elements of the type, on the function's CPU.
bool GathersPay(KernelBuilder& b, llvm::Type* element, int lanes);

// Lane l is the element number places[l] from `base` on. `places` is a vector of i32. Only the first `valid` lanes are
// read; the others hold anything.
Value* GatherElements(KernelBuilder& b, llvm::Type* element, Value* base, Value* places, int valid);

}  // namespace hone
