// Runs a package call by call and shows the values that each call completes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "runtime/package.h"

namespace hone {

// A complete value: the last of the calls that write it has run. Views into one buffer (parts of a concatenation) are
// one value.
struct ObservedValue {
  int call = 0;      // index into the plan's calls: the last call that wrote it
  std::string name;  // of the model's node or output
  Tensor value;      // logical and row-major, whatever the layout in memory; owned by the observer
};
// Returns whether the run continues.
using Observer = std::function<bool(const ObservedValue&)>;

// Runs the calls in order and shows each value when it is complete. `inputs` has one tensor per input of the plan, in
// its order. The bits are those of a Session with as many threads. Throws what `observe` throws, and Error:
// - kUsage for inputs of another number, shape or dtype;
// - kBadData for an extent out of its range, or for inputs that disagree on one;
// - kBug when a kernel returns a code.
void RunObserved(const std::shared_ptr<const Package>& package, const std::vector<Tensor>& inputs, int threads,
                 const Observer& observe);

}  // namespace hone
