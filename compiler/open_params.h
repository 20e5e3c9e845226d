// Finds the parameters whose values a package only moves, so that a runtime without a compiler can replace them.
#pragma once

#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "compiler/replace_params.h"

namespace hone {

struct OpenedPackage {
  std::string package;              // the bytes: the package with `open_params` in its manifest
  std::vector<std::string> open;    // the model's names of the parameters that may be replaced, sorted
  std::vector<std::string> closed;  // and of the others: the package holds values computed from them
};

// `module` is the model that the package was built of, with its parameters bound (IRModule::params). Openness is
// proved, not looked up. The passes run on other values, and a parameter is open if each byte that changes is its own
// value, moved. Moved means transposed, packed, transformed for Winograd's algorithm, or rounded to bfloat16 or
// float16. Throws Error as ReplaceParams does.
OpenedPackage OpenParams(const BuiltParts& parts, const relay::IRModule& module, const std::string& name);

}  // namespace hone
