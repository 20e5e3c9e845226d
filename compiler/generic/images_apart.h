// Operands of a primitive function whose images are not contiguous.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// The function with the numbers of such operands (parameters, then results) in its attribute "apart". At every access,
// a generic kernel steps along their outermost axis by the batch stride that it is given. Along other operands'
// outermost axis it steps by the shape.
relay::FunctionPtr WithImagesApart(const relay::FunctionPtr& function, std::vector<int64_t> operands);

bool LiesApart(const relay::Function& function, size_t operand);

}  // namespace hone
