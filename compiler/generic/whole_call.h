// Calls that are kernels of their own: what the evaluator cannot write element by element.
#pragma once

#include <string>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"

namespace hone {

class KernelBuilder;

// The call that the function's body is, when its operator has such a kernel and every argument is a parameter; else
// null. These kernels take dense operands alone.
const relay::Call* WholeCallOf(const relay::Function& function);

// Which parameter the call's i-th argument is. Throws std::out_of_range when it is none.
int ParameterOf(const relay::Function& function, size_t argument);

// The function must have a WholeCallOf.
EmittedKernel EmitWholeCall(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
