// A workload's definition as a kernel in plain loops, with which runners check candidates.
#pragma once

#include "compiler/schedules/schedule.h"

namespace hone {

// Operands: first the inputs, row-major and with the workload's types, including those of its class's canonical
// epilogue. Then follow the value and the magnitude in float64. See CompileReference in compiler/compile_kernel.h.
std::vector<KernelOperand> ReferenceOperands(const Workload& workload);
EmittedKernel EmitReference(KernelBuilder& builder, const Workload& workload, const std::string& symbol);

}  // namespace hone
