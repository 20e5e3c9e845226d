// Where a package goes another way than its model.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/compare_outputs.h"
#include "compiler/relay/expr.h"
#include "runtime/package.h"

namespace hone {

// What a call left, beside what the reference says that the model's node gives.
struct NodeError {
  int call = 0;  // of the package's plan
  std::string op;
  OutputError error;  // `name` is the node's
};

// Every value of the package that a node of the model gives under the same name and with the same shape and dtype, in
// the order of the calls. Values that only the package has (in the midst of what was rewritten) are left out. `inputs`
// are by name, one for each input of the package. Throws Error(kUsage) when no value has a name that the model knows.
std::vector<NodeError> CompareNodes(const relay::IRModule& typed, const std::shared_ptr<const Package>& package,
                                    const std::map<std::string, Tensor>& inputs, int threads, double tolerance);

// The first from which on none agrees: what differs before one that agrees was rewritten on purpose, such as a scale
// that is applied later. nullopt when the last agrees.
std::optional<size_t> FirstDifference(const std::vector<NodeError>& nodes);

}  // namespace hone
