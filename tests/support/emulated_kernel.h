// Runs a kernel of another architecture under qemu-user.
#pragma once

#include <vector>

#include "compiler/compile_kernel.h"
#include "core/machine/target.h"
#include "core/tensor.h"

namespace hone::testing {

// Packs the logical inputs, runs each of the kernel's stages in one piece, and returns the unpacked output. The static
// program runs under the emulator. Throws Error(kBug) when it does not exit with 0.
Tensor RunEmulated(const CompiledKernel& kernel, const Target& target, const std::vector<Tensor>& inputs);

}  // namespace hone::testing
