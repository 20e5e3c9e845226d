// Calls that are kernels of their own, because the evaluator cannot emit them element by element.
#pragma once

#include <string>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"

namespace hone {

class KernelBuilder;

// The function's body if it is a call whose operator has such a kernel and whose arguments are all parameters; else
// null. These kernels take only dense operands.
const relay::Call* WholeCallOf(const relay::Function& function);

// The number of the parameter that is the call's i-th argument. Throws std::out_of_range if it is not a parameter.
int ParameterOf(const relay::Function& function, size_t argument);

// The function must have a WholeCallOf.
EmittedKernel EmitWholeCall(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
