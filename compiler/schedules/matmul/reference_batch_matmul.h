// A batch_matmul's definition in plain loops; reference_kernel has the other operators.
#pragma once

#include "compiler/schedules/schedule.h"

namespace hone {

// Operands are ReferenceOperands(workload): data, weight, then the value and its magnitude in float64. Work items are
// the output's rows.
EmittedKernel EmitReferenceBatchMatmul(KernelBuilder& builder, const Workload& workload, const std::string& symbol);

}  // namespace hone
