// Operands of a primitive function whose images do not lie one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// The function with the numbers of such operands (parameters, then results) in its attribute "apart". A generic kernel
// of it steps along their outermost axis by the batch stride that it is given, at every access; along that of any other
// operand by what the shape says.
relay::FunctionPtr WithImagesApart(const relay::FunctionPtr& function, std::vector<int64_t> operands);

bool LiesApart(const relay::Function& function, size_t operand);

}  // namespace hone
