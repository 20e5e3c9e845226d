// Pass: functions that a module calls by name replace their calls.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Returns main without calls of functions: each call becomes the function's body on the call's arguments. Attributes of
// the functions are lost, so this pass runs before functions are formed for kernels. The module needs its types, which
// stay.
relay::IRModule InlineFunctions(const relay::IRModule& module);

}  // namespace hone
