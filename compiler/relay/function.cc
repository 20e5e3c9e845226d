#include "compiler/relay/function.h"

#include <fmt/format.h>

#include <unordered_set>
#include <utility>

#include "compiler/relay/visitor.h"
#include "core/error.h"

namespace hone::relay {
namespace {

using Vars = std::vector<std::shared_ptr<const Var>>;

[[noreturn]] void Refuse(const std::string& message) { throw Error(ExitCode::kBug, "MakeFunction: " + message); }

Vars AsVars(const std::vector<ExprPtr>& params) {
  Vars vars;
  std::unordered_set<const Expr*> seen;
  for (const ExprPtr& param : params) {
    const Var* var = AsVar(param);
    if (var == nullptr) Refuse(fmt::format("parameter {} is no Var", vars.size()));
    if (!seen.insert(var).second) Refuse(fmt::format("the parameter {} stands there twice", var->name));
    vars.push_back(std::static_pointer_cast<const Var>(param));
  }
  return vars;
}

}  // namespace

Vars FreeVars(const ExprPtr& expr) {
  std::unordered_set<const Expr*> bound;
  Vars met;
  PostOrderVisit(expr, [&](const ExprPtr& node) {
    if (AsVar(node) != nullptr) met.push_back(std::static_pointer_cast<const Var>(node));
    if (const Function* function = AsFunction(node)) {
      for (const auto& param : function->params) bound.insert(param.get());
    }
  });
  std::erase_if(met, [&](const auto& var) { return bound.contains(var.get()); });
  return met;
}

FunctionPtr MakeFunction(const std::vector<ExprPtr>& params, ExprPtr body) {
  auto function = std::make_shared<Function>(AsVars(params), std::move(body));
  for (const auto& free : FreeVars(function)) Refuse(fmt::format("{} is used and is no parameter", free->name));
  return function;
}

FunctionPtr MakeFunction(ExprPtr body) {
  Vars params = FreeVars(body);
  return std::make_shared<Function>(std::move(params), std::move(body));
}

}  // namespace hone::relay
