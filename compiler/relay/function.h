// Functions made of expressions, and the variables that an expression leaves free.
#pragma once

#include <memory>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone::relay {

// The variables within `expr` that are no parameter of a function within it, each once, in the order in which
// PostOrderVisit meets them.
std::vector<std::shared_ptr<const Var>> FreeVars(const ExprPtr& expr);

// The function of these parameters. Throws Error(kBug) for a parameter that is no Var or stands there twice, and for a
// variable that the body leaves free.
FunctionPtr MakeFunction(const std::vector<ExprPtr>& params, ExprPtr body);
// The function of the body's free variables, in the order of FreeVars.
FunctionPtr MakeFunction(ExprPtr body);

}  // namespace hone::relay
