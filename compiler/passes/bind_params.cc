#include "compiler/passes/bind_params.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"

namespace hone {
namespace {

relay::ExprPtr Bound(const relay::Var& var, const Tensor& value) {
  relay::ExprPtr constant = relay::MakeConstant(value, var.name);
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
  std::unordered_map<const relay::Expr*, relay::ExprPtr> constants;
  std::vector<std::shared_ptr<const relay::Var>> left;
  for (const auto& param : module.main->params) {
    const auto value = values.find(param->name);
    if (value == values.end()) {
      left.push_back(param);
    } else {
      constants.emplace(param.get(), Bound(*param, *value->second));
    }
  }
  relay::ExprPtr body =
      relay::RewritePostOrder(module.main->body, [&](const relay::ExprPtr& old, const relay::ExprPtr& rebuilt) {
        const auto constant = constants.find(old.get());
        return constant == constants.end() ? rebuilt : constant->second;
      });
  return {TypedLike(*module.main, std::move(left), std::move(body)), {}, module.name, module.output_names};
}

}  // namespace hone
