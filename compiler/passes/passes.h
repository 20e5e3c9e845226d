// The graph passes, and the one list that orders them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/passes/graph/pass_context.h"
#include "compiler/relay/expr.h"

namespace hone {

struct Pass {
  std::string name;
  int min_level;  // runs when opt_level is at least this; 0: every build needs the pass
  std::function<relay::IRModule(const relay::IRModule&, const PassContext&)> run;
  bool infers_types = true;  // false: the pass sets types itself, with layouts that InferType could not derive
};

// In the order of execution. Types are inferred anew after each pass, unless it sets them itself.
const std::vector<Pass>& AllPasses();

// Runs the passes that the context chooses on a module with types (from InferType; else throws Error(kBug)).
// chosen_passes.h throws for names that it refuses. `after` gets each result.
relay::IRModule RunPasses(const relay::IRModule& typed, const PassContext& context,
                          const std::function<void(const std::string& pass, const relay::IRModule&)>& after = nullptr);

// Runs the chosen passes up to the one named `last`.
relay::IRModule RunPassesUntil(const std::string& last, const relay::IRModule& typed, const PassContext& context);

}  // namespace hone
