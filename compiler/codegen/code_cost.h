// The cost of a kernel's code by LLVM's tables, for a kernel without a measured time.
#pragma once

#include <vector>

#include "core/artifact.h"
#include "core/machine/target.h"

namespace hone {

class KernelBuilder;

// The cost of one stage over all its items.
struct CodeCost {
  double cycles = 0;  // of one core whose caches hold everything
  double bytes = 0;   // loaded and stored, counted each time
  bool known = true;  // false if data decide when some loop ends: both are then a guess
};

// The cost of each stage; the builder's module defines the stages. A loop's trip count is computed if its bounds are
// constants for the stage's full range, and guessed if data decide it. The sides of a branch are weighed as LLVM does.
// Leaves the module as it was. Call it before EmitObject. Throws the same errors as EmitObject.
std::vector<CodeCost> CostOf(KernelBuilder& builder, const Target& target, const std::vector<KernelStage>& stages);

}  // namespace hone
