// An operand of a matrix product, as kernels address it.
#pragma once

#include <vector>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/matmul/matmul_shape.h"
#include "core/artifact.h"

namespace hone {

// The inputs of a batch_matmul's kernels: data and weight; for bytes their zero points, two int32; and the epilogue's
// scale per column. Both matrices were computed just before, so neither is cold, as constant weights are.
std::vector<KernelOperand> ComputedOperands(const Workload& w, const Epilogue& epilogue);

// The operand's address, and the bytes from one step of an axis to the next. A row is an index of M (N for the right
// matrix), a column an index of K (N for the result).
struct MatmulOperand {
  Value *base, *batch, *row, *column;

  // Reads the kernel's `operand`-th operand; `row_axis` is the letter of its rows. With `apart` its outermost axis
  // steps by the ABI's batch stride, else by the step in `steps`.
  MatmulOperand(KernelBuilder& b, const StageArgs& args, int operand, DType type, const MatmulSteps& steps,
                char row_axis, bool apart = true);

  // The address of one matrix of the batch.
  Value* Matrix(KernelBuilder& b, Value* product) const { return b.At(base, b.Mul(product, batch)); }
};

}  // namespace hone
