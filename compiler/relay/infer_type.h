// InferType: gives every expression its type.
#pragma once

#include "compiler/relay/expr.h"

namespace hone::relay {

// Returns the module with `type` set on every node of main, parameters included: a weight's type follows from the call
// that uses it when it was not given (conv2d: from the data's channels and the attributes; batch_norm, bias_add, dense
// likewise). Throws Error(kBadData) naming the node (its own name, or op and position) and what does not fit.
IRModule InferType(const IRModule& module);
FunctionPtr InferType(const FunctionPtr& function);

}  // namespace hone::relay
