// InferType: gives every expression its type.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>

#include "compiler/relay/expr.h"

namespace hone::relay {

// What the text of a module says of its nodes beyond the graph.
struct Annotations {
  // The types that expressions were declared to have: another one that follows is an error.
  std::unordered_map<const Expr*, TypePtr> types;
  // How an error names an expression: "net.relay:14:8: nn.conv2d".
  std::function<std::string(const Expr&)> where;
};

// Returns the module with `type` set on every node of main, parameters included: a weight's type follows from the call
// that uses it when it was not given (conv2d: from the data's channels and the attributes; batch_norm, bias_add, dense
// likewise). Throws Error(kBadData) naming the node (its own name, or op and position) and what does not fit.
IRModule InferType(const IRModule& module);
// The same, with what is declared held to, and errors that begin with `where` of the node. `annotations` are of the
// module's own nodes, and are needed for the call alone.
IRModule InferType(const IRModule& module, const Annotations& annotations);
FunctionPtr InferType(const FunctionPtr& function);

}  // namespace hone::relay
