// The compiler's door to a package's parameters: replaces them by others of the same shapes, packed as its build did.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/plan/lower.h"
#include "compiler/relay/expr.h"
#include "core/json/serialize.h"
#include "core/package/plan.h"

namespace hone {

// The parts of a package that Build made.
struct BuiltParts {
  Plan plan;
  std::string lib;
  std::string params;
  Json manifest;
};

// The lowering of the module (with types) with the configs of `parts`: kernels are those of `parts`, and there is no
// code. Throws as ReplaceParams.
Lowered Repack(const BuiltParts& parts, const relay::IRModule& typed, const std::string& name);

// The bytes of the package that Build makes of `module` with the configs of `parts`, using the existing code. The
// passes, the choice of layouts and the packing run again on the module's values; nothing is compiled. `module` is the
// model that the package was built of, with any values. `model_sha256` is as in BuildOptions.
//
// Throws Error(kBadData) naming the node if these values make another kernel. A pass may look at values, such as a
// scale of 1, which it removes. Throws Error(kBadConfig) for a package of another version of hone, or of one that did
// not record how it was built. `name` is the package's, for messages.
std::string ReplaceParams(const BuiltParts& parts, const relay::IRModule& module, const std::string& name,
                          const std::string& model_sha256 = "");

// The parameters whose values a package only moves, so that a runtime without a compiler can replace them.
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
