#include "compiler/schedules/matmul/matmul_shape.h"

#include "compiler/codegen/element.h"

namespace hone {

bool AreBytePairs(const ElementTypes& types) {
  const auto is_byte = [](DType type) { return type == DType::kUInt8 || type == DType::kInt8; };
  const bool made = types.output == DType::kUInt8 || types.output == DType::kFloat32 || types.output == DType::kInt32;
  return is_byte(types.data) && is_byte(types.weight) && types.accumulator == DType::kInt32 && made;
}

std::vector<KernelOperand> ComputedOperands(const Workload& w, const Epilogue& epilogue) {
  const auto layout = [&](int operand) { return Layout::Parse(w.OperandAxes(operand)); };
  std::vector<KernelOperand> operands{{OperandRole::kData, w.types.data, w.data, layout(0)},
                                      {OperandRole::kData, w.types.weight, w.weight, layout(1)}};
  if (w.types.whole()) operands.push_back({OperandRole::kData, DType::kInt32, {2}, Layout::Parse("N")});
  if (epilogue.scale) operands.push_back({OperandRole::kScale, DType::kFloat32, {w.Extent('N')}, Layout::Parse("N")});
  return operands;
}

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
