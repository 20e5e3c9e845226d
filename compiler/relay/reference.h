// The reference interpreter: runs a module in plain loops. What an operator means is what its reference says.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Runs main on the inputs (by parameter name; parameters bound in the module need none). Returns the outputs: several
// when the body is a tuple, in the shapes that the run counted (counted_outputs.h). `each`, when given, sees every call
// with its results as they are made. Throws Error(kUsage) on a missing or misshapen input, naming it. The module needs
// its types.
std::vector<Tensor> RunReference(
    const relay::IRModule& module, const std::map<std::string, Tensor>& inputs,
    const std::function<void(const relay::Call&, const std::vector<Tensor>&)>& each = nullptr);

// Runs the body of a primitive function on its arguments.
std::vector<Tensor> RunReference(const relay::Function& function, const std::vector<Tensor>& args);

}  // namespace hone
