// Runs a kernel of another architecture under qemu-user: no cross toolchain, the program around it is emitted too.
#pragma once

#include <string>
#include <vector>

#include "compiler/compile_kernel.h"
#include "core/target.h"
#include "core/tensor.h"

namespace hone::testing {

// "qemu-aarch64-static" and the like, when it is on the PATH; else empty.
std::string EmulatorFor(const Target& target);

// Packs the logical inputs, runs the kernel's stages whole in a static program under the emulator, and returns the
// output, unpacked. AArch64 only. Fails the test when the program does not exit with 0.
Tensor RunEmulated(const CompiledKernel& kernel, const Target& target, const std::vector<Tensor>& inputs);

}  // namespace hone::testing
