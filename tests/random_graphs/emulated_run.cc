#include "tests/random_graphs/emulated_run.h"

#include <cstring>

#include "compiler/passes/passes.h"
#include "compiler/plan/lower.h"
#include "core/error.h"
#include "tests/support/emulated_program.h"

namespace hone {
namespace {

using testing::EmulatedProgram;

// Adds the plan's buffers; returns the input bytes for those that the program reads.
std::string AddBuffers(EmulatedProgram& program, const Lowered& lowered, const std::map<std::string, Tensor>& inputs) {
  std::string fed;
  for (const PlanBuffer& buffer : lowered.plan.buffers) {
    const int index = program.AddBuffer(buffer.size_bytes);
    if (buffer.kind == BufferKind::kParam) {
      fed += lowered.params.At(buffer.offset_bytes, buffer.size_bytes);
    } else if (buffer.kind == BufferKind::kInput) {
      const Tensor& value = inputs.at(buffer.name);
      fed.append(static_cast<const char*>(value.raw()), static_cast<size_t>(value.size_bytes()));
    } else {
      continue;
    }
    program.Read(index);
  }
  return fed;
}

void AddCalls(EmulatedProgram& program, const Plan& plan) {
  for (const PlanCall& call : plan.calls) {
    std::vector<EmulatedProgram::Operand> operands;
    for (const PlanView& view : call.operands) {
      operands.push_back({view.buffer, view.offset_bytes, view.batch_stride_bytes});
    }
    const PlanKernel& kernel = plan.kernels.at(static_cast<size_t>(call.kernel));
    program.Call(operands, kernel.stages, kernel.shared_workspace_bytes);
  }
}

std::vector<Tensor> TakeOutputs(const Plan& plan, const std::string& bytes) {
  std::vector<Tensor> outputs;
  size_t at = 0;
  for (const int index : plan.outputs) {
    const PlanBuffer& buffer = plan.buffers[static_cast<size_t>(index)];
    Tensor& output = outputs.emplace_back(buffer.dtype, buffer.shape);
    const auto size = static_cast<size_t>(output.size_bytes());
    if (at + size > bytes.size()) throw Error(ExitCode::kBug, "the emulated program wrote too little");
    if (size > 0) std::memcpy(output.raw(), bytes.data() + at, size);
    at += size;
  }
  return outputs;
}

}  // namespace

std::vector<Tensor> RunEmulatedModule(const relay::IRModule& typed, const BuildOptions& options,
                                      const std::map<std::string, Tensor>& inputs) {
  const Lowered lowered = Lower(RunPasses(typed, {options.context, options.configs}), options.context);
  EmulatedProgram program(options.context.target);
  const std::string fed = AddBuffers(program, lowered, inputs);
  AddCalls(program, lowered.plan);
  for (const int index : lowered.plan.outputs) program.Write(index);
  return TakeOutputs(lowered.plan, program.Run(lowered.objects, fed));
}

}  // namespace hone
