#include "tests/support/run_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/fill_operand.h"
#include "core/layout.h"
#include "core/package/kernel_abi.h"
#include "runtime/host_cpu.h"
#include "runtime/kernel_launch.h"

namespace hone::testing {
namespace {

constexpr int64_t kGuard = 64;  // elements on each side of an output
constexpr double kPattern = 77;

// An output between two zones of a known pattern, poisoned with NaN.
struct GuardedOutput {
  Tensor memory;
  DType dtype;
  Shape physical;

  GuardedOutput(const KernelOperand& operand)
      : dtype(operand.dtype), physical(operand.layout.PhysicalShape(operand.shape)) {
    memory = Tensor(dtype, {ElementCount(physical) + 2 * kGuard});
    for (int64_t i = 0; i < memory.elements(); ++i) {
      const bool guard = i < kGuard || i >= memory.elements() - kGuard;
      memory.Set(i, guard ? kPattern : IsFloat(dtype) ? std::numeric_limits<double>::quiet_NaN() : kPattern + 1);
    }
  }
  char* begin() { return static_cast<char*>(memory.raw()) + kGuard * DTypeBytes(dtype); }

  Tensor Take(const KernelOperand& operand) {
    for (int64_t i = 0; i < kGuard; ++i) {
      EXPECT_EQ(memory.At(i), kPattern) << "written before the output";
      EXPECT_EQ(memory.At(memory.elements() - 1 - i), kPattern) << "written past the output";
    }
    Tensor inner(dtype, physical);
    std::memcpy(inner.raw(), begin(), static_cast<size_t>(inner.size_bytes()));
    Tensor logical = Unpack(inner, operand.layout, operand.shape);
    const Tensor repacked = Pack(logical, operand.layout);
    EXPECT_EQ(std::memcmp(repacked.raw(), inner.raw(), static_cast<size_t>(inner.size_bytes())), 0)
        << "lanes past an axis are not zero, or part of the output was not written";
    return logical;
  }
};

int64_t BatchStride(const KernelOperand& operand) {
  const Shape physical = operand.layout.PhysicalShape(operand.shape);
  if (physical.empty() || operand.role == OperandRole::kWeight || operand.role == OperandRole::kBias) return 0;
  return ElementCount(physical) / physical[0] * DTypeBytes(operand.dtype);
}

}  // namespace

std::vector<Tensor> RunArtifact(const Artifact& artifact, const std::vector<Tensor>& inputs, int64_t piece) {
  EXPECT_EQ(FirstMissingFeature(artifact.required_features), "");
  const KernelLibrary library = KernelLibrary::FromBytes(artifact.elf, "test");
  std::vector<Tensor> packed;
  std::vector<GuardedOutput> outputs;
  std::vector<void*> pointers;
  std::vector<int64_t> strides;
  outputs.reserve(artifact.operands.size());
  for (const KernelOperand& operand : artifact.operands) {
    strides.push_back(BatchStride(operand));
    if (operand.role == OperandRole::kOutput) {
      pointers.push_back(outputs.emplace_back(operand).begin());
    } else {
      packed.push_back(Pack(inputs.at(packed.size()), operand.layout));
      pointers.push_back(packed.back().raw());
    }
  }
  Tensor shared(DType::kInt8, {std::max<int64_t>(artifact.shared_workspace_bytes, 1)});
  for (const KernelStage& stage : artifact.stages) {
    Tensor own(DType::kInt8, {std::max<int64_t>(stage.worker_workspace_bytes, 1)});
    const hone_kernel_args args{pointers.data(), strides.data(), shared.raw(), own.raw(), 0, 1};
    const int64_t step = piece > 0 ? piece : std::max<int64_t>(stage.extent, 1);
    for (int64_t begin = 0; begin < stage.extent; begin += step) {
      // Another worker may have run the earlier parts, so this worker's own workspace is overwritten.
      std::memset(own.raw(), 0xff, static_cast<size_t>(own.size_bytes()));
      EXPECT_EQ(library.Find(stage.symbol)(&args, begin, std::min(begin + step, stage.extent)), 0);
    }
  }
  std::vector<Tensor> results;
  size_t next = 0;
  for (const KernelOperand& operand : artifact.operands) {
    if (operand.role == OperandRole::kOutput) results.push_back(outputs[next++].Take(operand));
  }
  return results;
}

std::vector<Tensor> RandomInputs(const std::vector<KernelOperand>& operands, uint64_t seed) {
  std::vector<Tensor> inputs;
  for (const KernelOperand& operand : operands) {
    if (operand.role == OperandRole::kOutput) continue;
    inputs.push_back(RandomOperand(operand, seed + inputs.size() + 1));
  }
  return inputs;
}

}  // namespace hone::testing
