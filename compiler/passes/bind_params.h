// Pass: values that the module binds to parameters become Constants.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Main keeps the parameters without a bound value; the result binds none. Throws Error(kBadData) when a value's shape
// or dtype is not its parameter's.
relay::IRModule BindParams(const relay::IRModule& module);

}  // namespace hone
