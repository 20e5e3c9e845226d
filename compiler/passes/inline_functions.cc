#include "compiler/passes/inline_functions.h"

#include <unordered_map>

#include "compiler/relay/visitor.h"

namespace hone {
namespace {

using relay::ExprPtr;

// Recursion is as deep as functions call each other.
ExprPtr Inlined(const ExprPtr& root, const std::unordered_map<const relay::Expr*, ExprPtr>& arguments) {
  return relay::RewritePostOrder(root, [&](const ExprPtr& old, const ExprPtr& rebuilt) {
    const auto argument = arguments.find(old.get());
    if (argument != arguments.end()) return argument->second;
    const relay::Call* call = relay::AsCall(rebuilt);
    const relay::Function* function = call ? relay::AsFunction(call->op) : nullptr;
    if (function == nullptr) return rebuilt;
    std::unordered_map<const relay::Expr*, ExprPtr> given;
    for (size_t i = 0; i < function->params.size(); ++i) given.emplace(function->params[i].get(), call->args.at(i));
    return Inlined(function->body, given);
  });
}

}  // namespace

relay::IRModule InlineFunctions(const relay::IRModule& module) {
  relay::IRModule inlined = module;
  inlined.main = std::static_pointer_cast<const relay::Function>(Inlined(module.main, {}));
  return inlined;
}

}  // namespace hone
