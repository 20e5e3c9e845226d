// Which convolutions are computed without trading accuracy for speed, whatever the others are.
#pragma once

#include <set>
#include <string>

#include "compiler/relay/expr.h"

namespace hone {

// Whether it is a call of what KeepExact can mark.
bool IsConvolution(const relay::ExprPtr& expr);

// Marks the convolutions of these names, transposed ones too, so that they get no Winograd kernel and no groups that
// are merged: a NaN, an infinity or a large number in their data stays within the windows that it lies in. The marks go
// with the calls through all passes. As MarkCalls otherwise.
relay::IRModule KeepExact(const relay::IRModule& module, const std::set<std::string>& names);

}  // namespace hone
