// One generator for everything without a schedule: elementwise chains, broadcasts, pools, reductions, softmax, LRN,
// concat, slices, transposes, layout transforms.
#pragma once

#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"
#include "core/artifact.h"

namespace hone {

class KernelBuilder;

// Whether EmitGeneric can compile the primitive function (typed; layouts in the types of its parameters and calls).
bool IsGeneric(const relay::Function& function);

// The operands in kernel order: one per parameter of the function, then its outputs (one per field when the body is a
// tuple).
std::vector<KernelOperand> GenericOperands(const relay::Function& function);

// A text that names the kernel's meaning: ops, attributes, shapes, layouts. Equal texts give equal kernels.
std::string GenericKey(const relay::Function& function);

// Emits the function as one kernel of one or more stages named `symbol`, `symbol`_1, ...: vectorised along the
// innermost physical axis where that is contiguous or a broadcast in every operand, in scalars otherwise. Every
// operator that has a reference and a pattern below kAnchor works, in row-major and, where its layout rule says so, in
// blocked layouts with any channel count: lanes past the axis are written as zeros.
EmittedKernel EmitGeneric(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
