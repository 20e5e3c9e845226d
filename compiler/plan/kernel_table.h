// The kernels of a plan: each distinct one is compiled once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/compile_kernel.h"
#include "compiler/relay/expr.h"
#include "core/plan.h"
#include "core/target.h"

namespace hone {

// Used by one thread at a time; compiles with several.
class KernelTable {
 public:
  explicit KernelTable(Target target) : target_(std::move(target)) {}

  // The number of the kernel that computes the primitive function. Throws Error(kBadData) naming the operator when
  // there is no way to compile it.
  int IndexOf(const relay::FunctionPtr& function);
  // Compiles every kernel asked for so far, on as many threads as the machine has cores. Throws what the first one
  // threw.
  void Compile();

  // What each computes, in the order of their numbers: for one target, equal keys are equal code.
  std::vector<std::string> Keys() const;

  // After Compile, in the order of their numbers; before it, their dispatch alone.
  std::vector<PlanKernel> PlanKernels() const;
  // EstimateNs of each with so many threads, in a network of so many bytes of parameters; after Compile, in the order
  // of their numbers; 0 where it knows nothing.
  std::vector<double> EstimatesNs(int threads, int64_t params_bytes) const;
  // Their object code, and behind it an object with the table of what they were compiled for (kKernelTableSymbol).
  std::vector<std::string> TakeObjects();

 private:
  struct Entry {
    relay::FunctionPtr function;
    Dispatch dispatch;
    std::string key;
    CompiledKernel compiled;
  };
  CompiledKernel CompileEntry(const Entry& entry) const;
  std::string Described() const;

  Target target_;
  std::vector<Entry> entries_;
  std::map<std::string, int> index_;
};

}  // namespace hone
