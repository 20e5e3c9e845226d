// What a batch_matmul means, in plain loops: the other half of reference_kernel.
#pragma once

#include "compiler/schedules/schedule.h"

namespace hone {

// Operands are ReferenceOperands(workload): data, weight, and in float64 the value and its magnitude. Work items are
// the output's rows.
EmittedKernel EmitReferenceBatchMatmul(KernelBuilder& builder, const Workload& workload, const std::string& symbol);

}  // namespace hone
