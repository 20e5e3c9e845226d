// The cost of a kernel's code by LLVM's tables, for a kernel without a measured time.
#pragma once

#include <vector>

#include "core/artifact.h"
#include "core/target.h"

namespace hone {

class KernelBuilder;

// One stage over all of its items.
struct CodeCost {
  double cycles = 0;  // of one core whose caches hold everything
  double bytes = 0;   // loaded and stored, as often as the code does it
  bool known = true;  // else some loop ends when the data say so, and both are a guess
};

// The cost of each stage, which the builder's module defines. How often a loop runs is computed where its bounds are
// constants once a stage's range is, and guessed where the data decide; the sides of a branch are weighed as LLVM does.
// Leaves the module as it was; to be called before EmitObject. Throws what EmitObject throws.
std::vector<CodeCost> CostOf(KernelBuilder& builder, const Target& target, const std::vector<KernelStage>& stages);

}  // namespace hone
