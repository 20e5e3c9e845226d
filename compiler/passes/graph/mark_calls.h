// Flags set on calls by name, which later passes and choices read.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "compiler/relay/expr.h"

namespace hone {

// Sets the attribute `flag` to true on the calls with these names for which `takes` holds. The module may be without
// types, and stays as typed as it was. Returns the module itself when it has no such call. The empty name matches every
// call without a name.
relay::IRModule MarkCalls(const relay::IRModule& module, const std::set<std::string>& names, const std::string& flag,
                          const std::function<bool(const relay::ExprPtr&)>& takes);

}  // namespace hone
