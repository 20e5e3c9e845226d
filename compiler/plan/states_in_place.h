// States whose new positions are written where the run found the old ones, so that nothing is copied.
#pragma once

#include <set>
#include <vector>

#include "compiler/relay/expr.h"
#include "compiler/relay/state_values.h"

namespace hone {

// The calls of @main that may write their result over their state. Such a call appends rows to a state (append_rows),
// and its result is what the state becomes. Nothing else reads the state: it has no reader that the call could come
// before. Readers of the result come after the call in any case. `order` is the post order of @main's body.
std::set<const relay::Expr*> StatesInPlace(const relay::IRModule& module, const std::vector<relay::ExprPtr>& order,
                                           const std::vector<relay::StateValue>& states);

// For the function of such a call: the number of the argument that is the state, and the function that leaves all but
// the new rows as they are.
size_t StateArgument(const relay::Function& function);
relay::FunctionPtr WritingInPlace(const relay::Function& function);

}  // namespace hone
