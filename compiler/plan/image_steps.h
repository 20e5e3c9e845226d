// Which operands of a call may have images that lie apart.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// The types of a primitive function's operands in kernel order: its parameters, then its results.
std::vector<relay::TypePtr> OperandTypes(const relay::Function& function);

// Whether the function's kernel can go from image to image of the operand by its view's stride. A generic kernel can,
// of any operand; a schedule's of what holds images, not of weights, bias, scale and shift; a whole call's of
// none.
bool StepsBetweenImages(const relay::Function& function, size_t operand);

}  // namespace hone
