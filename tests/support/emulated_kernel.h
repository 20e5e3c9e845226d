// Runs a kernel of another architecture under qemu-user.
#pragma once

#include <vector>

#include "compiler/compile_kernel.h"
#include "core/target.h"
#include "core/tensor.h"

namespace hone::testing {

// Packs the logical inputs, runs the kernel's stages whole in a static program under the emulator, and returns the
// output, unpacked. Throws Error(kBug) when the program does not exit with 0.
Tensor RunEmulated(const CompiledKernel& kernel, const Target& target, const std::vector<Tensor>& inputs);

}  // namespace hone::testing
