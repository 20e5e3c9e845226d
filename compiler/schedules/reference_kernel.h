// A workload's meaning as a kernel in plain loops, for runners to check candidates with.
#pragma once

#include "compiler/schedules/schedule.h"

namespace hone {

// Operands: the inputs, row-major and of the workload's types, with the canonical epilogue of the workload's class,
// then the value and the magnitude in float64; see CompileReference in compiler/compile_kernel.h.
std::vector<KernelOperand> ReferenceOperands(const Workload& workload);
EmittedKernel EmitReference(KernelBuilder& builder, const Workload& workload, const std::string& symbol);

}  // namespace hone
