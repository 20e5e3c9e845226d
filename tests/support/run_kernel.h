// Runs an artifact on host memory, for tests of compiled kernels.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/artifact.h"
#include "core/tensor.h"

namespace hone::testing {

// Packs `inputs` (logical, in operand order) and runs every stage in ranges of at most `piece` items (0: whole).
// Returns the outputs, unpacked to logical shapes. Fails the test when a lane past an axis is not zero, or when a
// kernel writes outside its output.
std::vector<Tensor> RunArtifact(const Artifact& artifact, const std::vector<Tensor>& inputs, int64_t piece = 0);

// A tensor of normal values for each operand that is not an output, in operand order.
std::vector<Tensor> RandomInputs(const std::vector<KernelOperand>& operands, uint64_t seed);

}  // namespace hone::testing
