// Makes functions of expressions, and finds an expression's free variables.
#pragma once

#include <memory>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone::relay {

// The variables in `expr` that are no parameter of a function inside it, each once, in the order of PostOrderVisit.
std::vector<std::shared_ptr<const Var>> FreeVars(const ExprPtr& expr);

// The function with these parameters. Throws Error(kBug) for a parameter that is no Var or is listed twice, and for a
// free variable of the body.
FunctionPtr MakeFunction(const std::vector<ExprPtr>& params, ExprPtr body);
// The function whose parameters are the body's free variables, in the order of FreeVars.
FunctionPtr MakeFunction(ExprPtr body);

}  // namespace hone::relay
