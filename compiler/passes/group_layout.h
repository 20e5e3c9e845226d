// In which layout a function without a schedule runs.
#pragma once

#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Layouts of a function's operands, by name; empty is row-major. The results lie in `result`.
struct GroupLayout {
  std::vector<std::string> operands;
  std::string result;
};

// What the function takes when its arguments lie as `args` say. Functions of kAny and kNCHWc operators follow their
// blocked inputs of full rank; constants per channel and other small operands stay row-major. A concatenation of
// channels is blocked when every input but the last has a multiple of the block. Everything else is row-major.
GroupLayout LayoutForGroup(const relay::Function& function, const std::vector<relay::TypePtr>& args);

}  // namespace hone
