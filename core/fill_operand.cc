#include "core/fill_operand.h"

namespace hone {

Tensor RandomOperand(const KernelOperand& operand, uint64_t seed) {
  constexpr uint32_t kSpread = 0x9e3779b1;  // odd, so that no two numbers become one
  Tensor tensor(operand.dtype, operand.shape);
  FillTensor(tensor, Fill::kNormal, seed);
  if (operand.role != OperandRole::kWeight || operand.dtype != DType::kInt32) return tensor;
  auto* words = tensor.data<uint32_t>();
  for (int64_t i = 0; i < tensor.elements(); ++i) words[i] = words[i] * kSpread ^ words[i] << 13;
  return tensor;
}

}  // namespace hone
