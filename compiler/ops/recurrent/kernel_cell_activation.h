// The activation functions of recurrent cells in kernels.
#pragma once

#include "compiler/codegen/kernel_builder.h"
#include "compiler/ops/recurrent/op_cell_activation.h"

namespace hone {

// `x` is a float32 scalar or vector of any width. NaN gives NaN.
Value* EmitCellActivation(KernelBuilder& b, const relay::CellActivation& activation, Value* x);

}  // namespace hone
