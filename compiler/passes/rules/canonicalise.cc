#include "compiler/passes/rules/canonicalise.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>

#include "compiler/passes/graph/fold_constants.h"
#include "compiler/relay/ranged_inputs.h"
#include "compiler/relay/visitor.h"

namespace hone {
namespace {

std::vector<Rule> AllRules(bool ranged) {
  std::vector<Rule> rules{[](const relay::ExprPtr& node, const Uses&) { return FoldConstant(node); }};
  for (const auto* group : {&ReshapeRules(), &IdentityRules(), &PaddingRules(), &PatchRules(), &ArithmeticRules(),
                            &PoolRules(), &WholeProductRules(), &ProductRules(), &MatmulRules(), &ActivationRules()}) {
    rules.insert(rules.end(), group->begin(), group->end());
  }
  if (!ranged) rules.insert(rules.end(), SharedMatrixRules().begin(), SharedMatrixRules().end());
  return rules;
}

}  // namespace

relay::IRModule Canonicalise(const relay::IRModule& module, int opt_level) {
  if (opt_level == 0) return RewriteByRules(module, ReshapeRules());
  const relay::IRModule shared = WithBody(module, EliminateCommon(module.main->body));
  const relay::IRModule rewritten =
      RewriteByRules(shared, AllRules(module.main->attrs.Find(relay::kRanged) != nullptr));
  return WithBody(rewritten, EliminateCommon(rewritten.main->body));
}

namespace {

// Exact form of a value, because Relay's text rounds floats.
std::string ExactText(const relay::AttrValue& value) {
  const double* number = std::get_if<double>(&value);
  return number ? fmt::format("{:a}", *number) : relay::ToText(value);
}

// A text for the node's computation, with nodes named by address: equal texts mean equal values. Empty for leaves.
std::string NodeKey(const relay::ExprPtr& node) {
  std::string key;
  const auto add = [&key](const relay::ExprPtr& part) { key += fmt::format("{} ", fmt::ptr(part.get())); };
  if (const relay::Call* call = relay::AsCall(node)) {
    add(call->op);
    for (const relay::ExprPtr& arg : call->args) add(arg);
    for (const auto& [name, value] : call->attrs.values()) key += name + "=" + ExactText(value) + " ";
  } else if (const relay::Tuple* tuple = relay::AsTuple(node)) {
    key = "tuple ";
    for (const relay::ExprPtr& field : tuple->fields) add(field);
  } else if (const relay::TupleGetItem* item = relay::AsTupleGetItem(node)) {
    key = fmt::format("item {} ", item->index);
    add(item->tuple);
  }
  return key;
}

}  // namespace

relay::ExprPtr EliminateCommon(const relay::ExprPtr& root) {
  std::unordered_map<std::string, relay::ExprPtr> known;  // owns its nodes: an address means one node
  return relay::RewritePostOrder(root, [&](const relay::ExprPtr&, const relay::ExprPtr& rebuilt) {
    const std::string key = NodeKey(rebuilt);
    return key.empty() ? rebuilt : known.try_emplace(key, rebuilt).first->second;
  });
}

}  // namespace hone
