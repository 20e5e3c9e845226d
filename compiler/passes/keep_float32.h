// Which products of a model a choice of precisions leaves in float32.
#pragma once

#include <set>
#include <string>

#include "compiler/relay/expr.h"

namespace hone {

// Whether it is a call of what KeepFloat32 can mark.
bool IsProduct(const relay::ExprPtr& expr);

// Marks the convolutions, transposed ones too, dense layers and batched products of these names, so that StoreBFloat16
// passes them over; the marks go with the calls through all passes before it. No pass of a build: who chose gives the
// marked module to whatever tunes or builds it. The module may be without types, and stays as typed as it was. Returns
// the module itself when it has none of these names. The empty name is that of all that have none.
relay::IRModule KeepFloat32(const relay::IRModule& module, const std::set<std::string>& names);

}  // namespace hone
