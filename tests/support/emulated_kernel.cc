#include "tests/support/emulated_kernel.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/layout.h"
#include "tests/support/emulated_program.h"

namespace hone::testing {

Tensor RunEmulated(const CompiledKernel& kernel, const Target& target, const std::vector<Tensor>& inputs) {
  EmulatedProgram program(target);
  std::vector<EmulatedProgram::Operand> operands;
  std::string fed;
  for (size_t i = 0; i < kernel.operands.size(); ++i) {
    const KernelOperand& operand = kernel.operands[i];
    const Shape physical = operand.layout.PhysicalShape(operand.shape);
    const int64_t bytes = ElementCount(physical) * DTypeBytes(operand.dtype);
    operands.push_back({program.AddBuffer(bytes), 0, bytes / physical[0]});
    if (operand.role == OperandRole::kOutput) continue;
    program.Read(operands.back().buffer);
    const Tensor packed = Pack(inputs.at(i), operand.layout);
    fed.append(static_cast<const char*>(packed.raw()), static_cast<size_t>(packed.size_bytes()));
  }
  program.Call(operands, kernel.emitted.stages, kernel.emitted.shared_workspace_bytes);
  program.Write(operands.back().buffer);
  const std::string bytes = program.Run({kernel.object}, fed);
  const KernelOperand& result = kernel.operands.back();
  Tensor physical(result.dtype, result.layout.PhysicalShape(result.shape));
  EXPECT_EQ(bytes.size(), static_cast<size_t>(physical.size_bytes()));
  std::memcpy(physical.raw(), bytes.data(), std::min(bytes.size(), static_cast<size_t>(physical.size_bytes())));
  return Unpack(physical, result.layout, result.shape);
}

}  // namespace hone::testing
