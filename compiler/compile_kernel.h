// One kernel: a candidate as the artifact that a runner times, or as the object that Lower links into a package.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/codegen/code_cost.h"
#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"
#include "core/artifact.h"
#include "core/candidate.h"
#include "core/failure.h"

namespace hone {

// Why a candidate was not compiled: kInvalidConfig, kUnsupported, kCompileFailed, or kCancelled because of the machine.
using Rejection = Failure;

// Compiles one candidate with its workload class's canonical epilogue, or with `epilogue`. A pure function of its
// arguments and of hone's and LLVM's versions: equal arguments give equal bytes. Thread-safe (linking is serialised).
std::variant<Artifact, Rejection> CompileKernel(const Candidate& candidate,
                                                const std::optional<Epilogue>& epilogue = std::nullopt);

// The workload's definition as a kernel in plain loops, with which a runner checks candidates. Its operands are the
// inputs in logical row-major layouts, with the workload's types and in a candidate's order. Then follow two float64
// outputs in the output's logical shape: the value, and the sum of the magnitudes of its terms (sum |x||w| + |bias| +
// |residual|). The activation is applied to the value.
Artifact CompileReference(const Workload& workload, const Target& target);

// Symbols are "k_" and 16 hex digits of the hash of the kernel's key, so equal kernels give equal objects wherever they
// are built.
struct CompiledKernel {
  std::string object;
  std::string object_sha256;
  EmittedKernel emitted;
  std::vector<KernelOperand> operands;
  std::vector<CodeCost> costs = {};  // of its stages, if the kernel has no knobs
};

// The schedule must apply and not reject the config: throws Error(kBug) otherwise. Thread-safe.
CompiledKernel CompileAnchorObject(const Candidate& candidate, const Epilogue& epilogue);
// The kernel that CompileKernel makes of the candidate, as assembly text. Throws as CompileAnchorObject does.
std::string CompileAssembly(const Candidate& candidate);
// Compiles a primitive function without an anchor schedule; see ops/kernel.h. Thread-safe.
CompiledKernel CompileGenericObject(const relay::Function& function, const Target& target);

// The kernels of earlier builds for one target, by KernelTable's keys. A build that is given them compiles only what
// is new. Thread-safe.
class CompiledKernels {
 public:
  std::optional<CompiledKernel> Find(const std::string& key) const;
  void Add(const std::string& key, const CompiledKernel& kernel);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, CompiledKernel> kernels_;
};

}  // namespace hone
