// The operands of a call whose images may lie apart.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// The types of a primitive function's operands in kernel order: its parameters, then its results.
std::vector<relay::TypePtr> OperandTypes(const relay::Function& function);

// Whether the function's kernel can step from image to image of the operand by its view's stride. A generic kernel can,
// for every operand. A schedule's kernel can for operands with images, not for weights, bias, scale and shift. A kernel
// of a whole call cannot.
bool StepsBetweenImages(const relay::Function& function, size_t operand);

}  // namespace hone
