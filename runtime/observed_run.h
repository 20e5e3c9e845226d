// Runs a package call by call and shows what each one leaves.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "runtime/package.h"

namespace hone {

// A value that is whole: the last of the calls that write it has run. Views into one buffer (parts of a concatenation)
// are one value.
struct ObservedValue {
  int call = 0;      // index into the plan's calls: the last that wrote it
  std::string name;  // of the model's node or output
  Tensor value;      // logical and row-major, whatever the layout in memory; the observer's own
};
// Returns whether to go on.
using Observer = std::function<bool(const ObservedValue&)>;

// Runs the calls in order with their inputs, one per input of the plan in its order, and shows each value as it becomes
// whole, in that order. The bits are those of a Session with as many threads. Throws Error(kUsage) for inputs of
// another number, shape or dtype, Error(kBug) when a kernel returns a code, and what `observe` throws.
void RunObserved(const std::shared_ptr<const Package>& package, const std::vector<Tensor>& inputs, int threads,
                 const Observer& observe);

}  // namespace hone
