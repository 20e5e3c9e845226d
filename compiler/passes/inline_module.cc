// Values and functions to which a module refers by name are put in their place.
#include <fmt/format.h>

#include <string>
#include <unordered_map>

#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"

namespace hone {

using relay::ExprPtr;

namespace {

ExprPtr Bound(const relay::Var& var, const Tensor& value) {
  ExprPtr constant = relay::MakeConstant(value, var.name);
  if (var.type != nullptr && !relay::Equal(var.type, constant->type)) {
    throw Error(ExitCode::kBadData, fmt::format("parameter {} is {}, its value {}", var.name, relay::ToText(var.type),
                                                relay::ToText(constant->type)));
  }
  return constant;
}

}  // namespace

relay::IRModule BindParams(const relay::IRModule& module) {
  std::unordered_map<std::string, const Tensor*> values;
  for (const auto& [name, value] : module.params) values.emplace(name, &value);
  std::unordered_map<const relay::Expr*, ExprPtr> constants;
  std::vector<std::shared_ptr<const relay::Var>> left;
  for (const auto& param : module.main->params) {
    const auto value = values.find(param->name);
    if (value == values.end()) {
      left.push_back(param);
    } else {
      constants.emplace(param.get(), Bound(*param, *value->second));
    }
  }
  ExprPtr body = relay::RewritePostOrder(module.main->body, [&](const ExprPtr& old, const ExprPtr& rebuilt) {
    const auto constant = constants.find(old.get());
    return constant == constants.end() ? rebuilt : constant->second;
  });
  return {TypedLike(*module.main, std::move(left), std::move(body)), {}, module.name, module.output_names};
}

namespace {

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
