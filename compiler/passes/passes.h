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
  int min_level;  // runs when opt_level is at least this; 0: no build does without it
  std::function<relay::IRModule(const relay::IRModule&, const PassContext&)> run;
  bool infers_types = true;  // false: the pass sets types itself, with layouts that InferType could not know
};

// In the order they run: the module gets its types anew after each that does not set them itself.
const std::vector<Pass>& AllPasses();

// Runs those that the context chooses (chosen_passes.h, which throws for names it refuses) on a module that has its
// types (InferType; else Error(kBug)). `after` sees each result.
relay::IRModule RunPasses(const relay::IRModule& typed, const PassContext& context,
                          const std::function<void(const std::string& pass, const relay::IRModule&)>& after = nullptr);

// Runs those up to and with the pass named `last`, likewise.
relay::IRModule RunPassesUntil(const std::string& last, const relay::IRModule& typed, const PassContext& context);

}  // namespace hone
