// Flags that somebody sets on calls by their names, for passes and choices behind to see.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "compiler/relay/expr.h"

namespace hone {

// Sets the attribute `flag` to true on the calls of these names for which `takes` holds. The module may be without
// types, and stays as typed as it was. Returns the module itself when it has none of them. The empty name is that of
// all that have none.
relay::IRModule MarkCalls(const relay::IRModule& module, const std::set<std::string>& names, const std::string& flag,
                          const std::function<bool(const relay::ExprPtr&)>& takes);

}  // namespace hone
