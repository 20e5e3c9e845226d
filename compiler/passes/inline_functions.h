// Functions that a module calls by name, in the place of their calls.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Main without calls of functions: each is replaced by the function's body on the call's arguments. What a function is
// marked with is lost, so this comes before functions are formed for kernels. The module needs its types, which stay.
relay::IRModule InlineFunctions(const relay::IRModule& module);

}  // namespace hone
