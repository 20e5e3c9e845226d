// One kernel's object code: what CompileKernel links alone and Lower links into a package.
#pragma once

#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"
#include "core/artifact.h"
#include "core/candidate.h"

namespace hone {

// Symbols are "k_" and 16 hex digits of the hash of the kernel's key, so equal kernels give equal objects wherever they
// are built.
struct CompiledKernel {
  std::string object;
  std::string object_sha256;
  EmittedKernel emitted;
  std::vector<KernelOperand> operands;
};

// The schedule must apply and not reject the config: throws Error(kBug) otherwise. Thread-safe.
CompiledKernel CompileAnchorObject(const Candidate& candidate, const Epilogue& epilogue);
// The kernel that CompileKernel makes of the candidate, as assembly text. Throws as CompileAnchorObject does.
std::string CompileAssembly(const Candidate& candidate);
// A primitive function without an anchor schedule; see generic/generic_kernel.h. Thread-safe.
CompiledKernel CompileGenericObject(const relay::Function& function, const Target& target);

}  // namespace hone
