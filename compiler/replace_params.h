// The compiler's door to a package's parameters: replaces them by others of the same shapes, packed as its build did.
#pragma once

#include <string>
#include <string_view>

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

}  // namespace hone
