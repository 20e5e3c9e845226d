// A compiled kernel on its way to a runner.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/layout.h"
#include "core/tensor.h"

namespace hone {

// One symbol of a kernel; see core/package/kernel_abi.h.
struct KernelStage {
  std::string symbol;
  int64_t extent = 1;  // work items
  int64_t grain = 1;   // each range is a multiple of this, except the last
  int64_t worker_workspace_bytes = 0;
  bool operator==(const KernelStage&) const = default;
};

enum class OperandRole : uint8_t {
  kData = 0,
  kWeight = 1,
  kBias = 2,
  kResidual = 3,
  kOutput = 4,
  kScale = 5,
  kShift = 6
};

// One operand as the kernel wants it, in the order of hone_kernel_args.operands.
struct KernelOperand {
  OperandRole role = OperandRole::kData;
  DType dtype = DType::kFloat32;
  Shape shape;    // logical
  Layout layout;  // in memory
  bool operator==(const KernelOperand&) const = default;
};

// The result of CompileKernel. `elf` is a shared object without dependencies. `object_sha256` names the kernel's
// object code: it is the same for a kernel that is linked by itself and for one in a package.
struct Artifact {
  std::string elf;
  std::string object_sha256;
  std::vector<KernelStage> stages;
  std::vector<KernelOperand> operands;
  int64_t shared_workspace_bytes = 0;
  std::vector<std::string> required_features = {};  // of the CPU, as LLVM names them: "avx2", "v"
  bool operator==(const Artifact&) const = default;
};

// The operand's size in memory. Throws Error(kBadData) when shape and layout do not fit each other or overflow.
int64_t PhysicalBytes(const KernelOperand& operand);

// The first dimension in memory, which a call's batch stride steps over; 1 for a scalar. Throws as PhysicalBytes does.
int64_t PhysicalImages(const KernelOperand& operand);

}  // namespace hone
