// One generator for everything without a schedule: elementwise chains, broadcasts, pools, reductions, softmax, LRN,
// concatenations, slices, transposes, layout transforms.
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

// The operands in kernel order: one per parameter of the function, then its outputs (one per field if the body is a
// tuple).
std::vector<KernelOperand> GenericOperands(const relay::Function& function);

// A text that identifies the kernel: operators, attributes, shapes, layouts. Equal texts give equal kernels.
std::string GenericKey(const relay::Function& function);

// Emits the function as one kernel of one or more stages named `symbol`, `symbol`_1, .... It is vectorised along the
// innermost physical axis if that is contiguous or a broadcast in every operand, and scalar otherwise. It supports
// every operator that has a reference and a pattern below kAnchor, in row-major layouts. Blocked layouts with any
// number of channels work too if the operator's layout rule allows them: lanes past the axis are written as zeros.
//
//    for item in [begin, end)             rows of a piece of the output (piece.h)
//      for vector of the row              lanes along the innermost physical axis
//        value = Eval(body, coordinates)  the evaluator emits the whole expression (evaluator.h)
//        store value
EmittedKernel EmitGeneric(KernelBuilder& builder, const relay::Function& function, const std::string& symbol);

}  // namespace hone
