// A product's operand as kernels address it.
#pragma once

#include <vector>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/matmul_shape.h"
#include "core/artifact.h"

namespace hone {

// The inputs of a batch_matmul's kernels: data, weight and, of bytes, their zero points, two int32, and the epilogue's
// scale for each column. Both matrices are computed just before: neither is as cold as weights are.
std::vector<KernelOperand> ComputedOperands(const Workload& w, const Epilogue& epilogue);

// Its address, and the bytes from one step of an axis to the next. A row is of M (N for the right matrix), a column of
// K (N for the result).
struct MatmulOperand {
  Value *base, *batch, *row, *column;

  // The kernel's `operand`-th; `row_axis` is the letter of its rows. With `apart` its outermost axis steps by the ABI's
  // batch stride, else by what `steps` says.
  MatmulOperand(KernelBuilder& b, const StageArgs& args, int operand, DType type, const MatmulSteps& steps,
                char row_axis, bool apart = true);

  // Where a matrix of the batch begins.
  Value* Matrix(KernelBuilder& b, Value* product) const { return b.At(base, b.Mul(product, batch)); }
};

}  // namespace hone
