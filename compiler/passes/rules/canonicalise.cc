#include "compiler/passes/rules/canonicalise.h"

#include "compiler/passes/graph/fold_constants.h"

namespace hone {
namespace {

std::vector<Rule> AllRules() {
  std::vector<Rule> rules{[](const relay::ExprPtr& node, const Uses&) { return FoldConstant(node); }};
  for (const auto* group : {&ReshapeRules(), &IdentityRules(), &PaddingRules(), &PatchRules(), &ArithmeticRules(),
                            &PoolRules(), &WholeProductRules(), &ProductRules(), &MatmulRules(), &ActivationRules()}) {
    rules.insert(rules.end(), group->begin(), group->end());
  }
  return rules;
}

}  // namespace

relay::IRModule Canonicalise(const relay::IRModule& module, int opt_level) {
  if (opt_level == 0) return RewriteByRules(module, ReshapeRules());
  const relay::IRModule shared = WithBody(module, EliminateCommon(module.main->body));
  const relay::IRModule rewritten = RewriteByRules(shared, AllRules());
  return WithBody(rewritten, EliminateCommon(rewritten.main->body));
}

}  // namespace hone
