// One node of a model, alone.
#pragma once

#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

struct CutNode {
  relay::IRModule module;                // typed: the node's calls on constants and on parameters operand0, operand1...
  std::vector<relay::ExprPtr> operands;  // of the whole module: what each parameter stands for, tensors all
};

// The names of a module's calls, each once, in post order; without those that have none.
std::vector<std::string> CallNames(const relay::IRModule& module);

// Every call of that name (an importer may make several of one node) with its constants; what they take of others
// becomes parameters, what others take of them the results, in post order. `bound` is typed, binds no values and calls
// no functions: RunPassesUntil("inline_functions") makes it so. Throws Error(kUsage) when no call has the name, with
// the nearest one.
CutNode CutOut(const relay::IRModule& bound, const std::string& node);

// The module whose results are the operands: what the whole module gives to the node.
relay::IRModule OperandsModule(const relay::IRModule& bound, const CutNode& cut);

}  // namespace hone
