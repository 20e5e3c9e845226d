// One node of a model as a module of its own.
#pragma once

#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

struct CutNode {
  relay::IRModule module;                // typed: the node's calls on constants and on parameters operand0, operand1...
  std::vector<relay::ExprPtr> operands;  // of the whole module, a tensor for each parameter
};

// The names of a module's calls, each once, in post order. Calls without a name are skipped.
std::vector<std::string> CallNames(const relay::IRModule& module);

// Cuts out every call of that name with its constants; an importer may make several calls of one node. Values that they
// read from other calls become parameters. Values that other calls read become results, in post order. `bound` is
// typed, binds no values and calls no functions, as after RunPassesUntil("inline_functions"). Throws Error(kUsage) with
// the nearest name if no call has the name.
CutNode CutOut(const relay::IRModule& bound, const std::string& node);

// The module whose results are the operands that the whole module gives to the node.
relay::IRModule OperandsModule(const relay::IRModule& bound, const CutNode& cut);

}  // namespace hone
