// Convolutions that must not trade accuracy for speed, whatever the build allows for the others.
#pragma once

#include <set>
#include <string>

#include "compiler/relay/expr.h"

namespace hone {

// Whether it is a call of an operator that KeepExact can mark.
bool IsConvolution(const relay::ExprPtr& expr);

// Marks the convolutions with these names, transposed ones too, so that they get neither a Winograd kernel nor merged
// groups. Then a NaN, an infinity or a large number in their data stays within the windows that contain it. The marks
// go with the calls through all passes. Types and names are treated as by MarkCalls.
relay::IRModule KeepExact(const relay::IRModule& module, const std::set<std::string>& names);

}  // namespace hone
