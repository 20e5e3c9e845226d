// InferType: gives every expression its type.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>

#include "compiler/relay/expr.h"

namespace hone::relay {

// Facts from a module's text about its nodes, beyond the graph.
struct Annotations {
  // The declared types of expressions; inferring another type is an error.
  std::unordered_map<const Expr*, TypePtr> types;
  // Names an expression in errors: "net.relay:14:8: nn.conv2d".
  std::function<std::string(const Expr&)> where;
};

// Returns the module with `type` set on every node of main, including parameters. A weight without a type gets it from
// the call that uses it. For conv2d it follows from the data's channels and the attributes, similarly for batch_norm,
// bias_add and dense. Throws Error(kBadData) naming the node (its own name, or op and position) and the mismatch.
IRModule InferType(const IRModule& module);
// Also checks the declared types, and errors begin with the node's `where`. `annotations` are about the module's own
// nodes, and are needed only during the call.
IRModule InferType(const IRModule& module, const Annotations& annotations);
FunctionPtr InferType(const FunctionPtr& function);

}  // namespace hone::relay
