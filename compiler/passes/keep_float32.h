// Products of a model that a choice of precisions leaves in float32.
#pragma once

#include <set>
#include <string>

#include "compiler/relay/expr.h"

namespace hone {

// Whether it is a call of an operator that KeepFloat32 can mark.
bool IsProduct(const relay::ExprPtr& expr);

// Marks the convolutions (transposed ones too), dense layers and batched products with these names, so that
// StoreBFloat16 skips them. The marks go with the calls through all passes before it. Not a pass of a build: the code
// that chooses the precisions gives the marked module to the tuner or the build. The module may be without types, and
// stays as typed as it was. Returns the module itself when it has none of these names. The empty name matches every
// call without a name.
relay::IRModule KeepFloat32(const relay::IRModule& module, const std::set<std::string>& names);

}  // namespace hone
