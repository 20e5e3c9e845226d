// The reference interpreter: runs a module in plain loops. The reference in an operator's row defines it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Runs main on the inputs (by parameter name; parameters bound in the module need none). Returns the outputs, several
// if the body is a tuple, cut to the counted shapes (counted_outputs.h). `each`, if given, is called with every call
// and its results as they are made. Throws Error(kUsage) naming a missing or misshapen input. The module must have
// types.
std::vector<Tensor> RunReference(
    const relay::IRModule& module, const std::map<std::string, Tensor>& inputs,
    const std::function<void(const relay::Call&, const std::vector<Tensor>&)>& each = nullptr);

// Runs the body of a primitive function on its arguments.
std::vector<Tensor> RunReference(const relay::Function& function, const std::vector<Tensor>& args);

}  // namespace hone
