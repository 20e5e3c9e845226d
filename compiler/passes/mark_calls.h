// Flags set on calls by name, which later passes and choices read. They go with the calls through all passes.
//
// The module may be without types, and stays as typed as it was. The module itself is returned when it has no call to
// mark. The empty name matches every call without a name.
#pragma once

#include <set>
#include <string>

#include "compiler/relay/expr.h"

namespace hone {

// Whether it is a call of an operator that KeepExact can mark.
bool IsConvolution(const relay::ExprPtr& expr);

// Marks the convolutions with these names, transposed ones too, so that they get neither a Winograd kernel nor merged
// groups. Then a NaN, an infinity or a large number in their data stays within the windows that contain it.
relay::IRModule KeepExact(const relay::IRModule& module, const std::set<std::string>& names);

// Whether it is a call of an operator that KeepFloat32 can mark.
bool IsProduct(const relay::ExprPtr& expr);

// Marks the convolutions (transposed ones too), dense layers and batched products with these names, so that
// StoreBFloat16 skips them. Not a pass of a build: the code that chooses the precisions gives the marked module to the
// tuner or the build.
relay::IRModule KeepFloat32(const relay::IRModule& module, const std::set<std::string>& names);

}  // namespace hone
