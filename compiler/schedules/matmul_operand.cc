#include "compiler/schedules/matmul_operand.h"

#include "compiler/codegen/element.h"

namespace hone {

MatmulOperand::MatmulOperand(KernelBuilder& b, const StageArgs& args, int operand, DType type, const MatmulSteps& steps,
                             char row_axis, bool apart)
    : base(b.Operand(args, operand)) {
  const auto bytes = [&](int64_t elements, bool first) {
    return apart && first && elements != 0 ? b.BatchStride(args, operand) : b.Index(Bytes(type, elements));
  };
  batch = bytes(steps.batch, steps.first == 'B');
  row = bytes(steps.row, steps.first == row_axis);
  column = bytes(steps.column, steps.first != 'B' && steps.first != row_axis);
}

}  // namespace hone
