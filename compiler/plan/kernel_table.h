// The kernels of a plan: each distinct one is compiled once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/compile_kernel.h"
#include "compiler/relay/expr.h"
#include "core/machine/target.h"
#include "core/nth.h"
#include "core/package/plan.h"

namespace hone {

// Used by one thread at a time; compiles with several.
class KernelTable {
 public:
  explicit KernelTable(Target target) : target_(std::move(target)) {}

  // The number of the kernel that computes the primitive function. Throws Error(kBadData) naming the operator if it
  // cannot be compiled.
  int IndexOf(const relay::FunctionPtr& function);
  // Compiles every kernel requested so far that `known` lacks, on as many threads as the machine has cores, and adds
  // them to it; null: all. Throws the first kernel's error.
  void Compile(CompiledKernels* known);

  // The key of each kernel, by number: for one target, equal keys mean equal code.
  std::vector<std::string> Keys() const;

  // The kernels by number, after Compile; before it they only have their dispatch.
  std::vector<PlanKernel> PlanKernels() const;
  // The boxes of the kernel's work items, and its stages; after Compile.
  const std::vector<StageBox>& BoxesOf(int kernel) const { return Nth(entries_, kernel).compiled.emitted.boxes; }
  const std::vector<KernelStage>& StagesOf(int kernel) const { return Nth(entries_, kernel).compiled.emitted.stages; }
  // EstimateNs of each kernel, by number, with so many threads in a network with so many bytes of parameters. Call it
  // after Compile. 0 if there is no estimate.
  std::vector<double> EstimatesNs(int threads, int64_t params_bytes) const;
  // The kernels' object code. The last object holds the table that describes them (kKernelTableSymbol): code hashes,
  // stages, operands and workspaces.
  std::vector<std::string> TakeObjects();

 private:
  struct Entry {
    relay::FunctionPtr function;
    Dispatch dispatch;
    std::string key;
    CompiledKernel compiled;
  };
  CompiledKernel CompileEntry(const Entry& entry) const;
  CompiledKernel CompileUnlessKnown(const Entry& entry, CompiledKernels* known) const;
  std::string Described() const;

  Target target_;
  std::vector<Entry> entries_;
  std::map<std::string, int> index_;
};

}  // namespace hone
