// Runs emitted kernels inside the test process.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "compiler/schedules/schedule.h"
#include "core/artifact.h"
#include "core/machine/target.h"
#include "core/package/kernel_abi.h"
#include "core/random.h"
#include "core/tensor.h"

namespace hone::testing {

// A loaded shared object; unloaded in the destructor.
class LoadedKernel {
 public:
  explicit LoadedKernel(const std::string& elf);
  ~LoadedKernel();
  LoadedKernel(const LoadedKernel&) = delete;
  LoadedKernel& operator=(const LoadedKernel&) = delete;
  hone_kernel_stage Find(const std::string& symbol) const;

 private:
  void* handle_;
};

// A primitive function compiled for a target that this machine can run.
class CompiledFunction {
 public:
  CompiledFunction(const relay::FunctionPtr& function, const Target& target);
  // Each stage's range is cut `cuts` times at random places, and the parts run in random order. Operands begin at
  // random elements of a cache line. Tensors are logical; operands with images apart have gaps between the images. The
  // memory around every operand is checked for stray writes, and lanes past an axis for zeros.
  std::vector<Tensor> Run(const std::vector<Tensor>& args, int cuts, Random& random) const;
  int64_t extent() const { return kernel_.stages[0].extent; }
  // The number of workers that can share the first stage.
  int64_t parts() const { return extent() / kernel_.stages[0].grain; }

 private:
  relay::FunctionPtr function_;
  std::vector<KernelOperand> operands_;
  EmittedKernel kernel_;
  std::unique_ptr<LoadedKernel> loaded_;
};

}  // namespace hone::testing
