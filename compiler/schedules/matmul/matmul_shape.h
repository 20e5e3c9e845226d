// A batch_matmul's extents, element types, strides and operands, for schedules.
#pragma once

#include <vector>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/parts/register_tile.h"
#include "core/artifact.h"
#include "core/workload.h"

namespace hone {

// Elements from one step of B, rows (M or N) or K to the next; 0 for an axis that the operand lacks.
struct MatmulSteps {
  int64_t batch = 0, row = 0, column = 0;
  char first = 0;  // the outermost axis: the ABI's batch stride gives its step
};

// The sum over K of data[b, m, k] * weight[b, n, k]. An operand's row is M (N for weight), its column K (N for output).
struct MatmulShape {
  int64_t B, M, N, K;
  ElementTypes types;
  MatmulSteps data, weight, output;

  explicit MatmulShape(const Workload& w)
      : B(w.Extent('B')),
        M(w.Extent('M')),
        N(w.Extent('N')),
        K(w.Extent('K')),
        types(w.types),
        data(StepsOf(w.OperandAxes(0), w.data, 'M', 'K')),
        weight(StepsOf(w.OperandAxes(1), w.weight, 'N', 'K')),
        output(StepsOf(w.OperandAxes(2), w.OutputShape(), 'M', 'N')) {}

  // Neighbours along K in one step of the sum, and the number of steps; the last step may lack some neighbours.
  int dot() const { return DotGroup(types); }
  int64_t steps() const { return (K + dot() - 1) / dot(); }
  // Whether the weights of neighbouring output columns are neighbours in memory: N is their last axis.
  bool weights_are_neighbours() const { return weight.row == 1 && weight.first != 'N'; }

 private:
  static MatmulSteps StepsOf(std::string_view axes, const Shape& shape, char row, char column) {
    MatmulSteps steps;
    int64_t apart = 1;
    for (size_t i = axes.size(); i-- > 0; apart *= shape[i]) {
      (axes[i] == row ? steps.row : axes[i] == column ? steps.column : steps.batch) = apart;
      if (axes[i] == 'B' && shape[i] == 1) steps.batch = 0;
    }
    steps.first = axes[0];
    return steps;
  }
};

// Whether they multiply two computed matrices of bytes, signed or not, and make a product of the sums that kernels
// know: bytes, floats or the sums themselves.
bool AreBytePairs(const ElementTypes& types);

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
