// A kernel's operands filled at random, for timing and for comparison with a reference.
#pragma once

#include <cstdint>

#include "core/artifact.h"

namespace hone {

// A tensor of the operand's logical shape as by FillTensor(Fill::kNormal). Weights of int32 are packed integers of
// fewer bits, so all bits of their words are random.
Tensor RandomOperand(const KernelOperand& operand, uint64_t seed);

}  // namespace hone
