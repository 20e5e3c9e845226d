#include "compiler/passes/graph/mark_calls.h"

#include "compiler/relay/visitor.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

relay::IRModule MarkCalls(const relay::IRModule& module, const std::set<std::string>& names, const std::string& flag,
                          const std::function<bool(const ExprPtr&)>& takes) {
  const ExprPtr body = relay::RewritePostOrder(module.main->body, [&](const ExprPtr&, const ExprPtr& now) -> ExprPtr {
    if (!takes(now)) return now;
    const Call& call = *relay::AsCall(now);
    if (names.count(call.name) == 0) return now;
    relay::Attrs attrs = call.attrs;
    attrs.Set(flag, true);
    auto marked = std::make_shared<Call>(call.op, call.args, attrs, call.name);
    marked->type = call.type;
    return marked;
  });
  if (body == module.main->body) return module;
  relay::IRModule result = module;
  const auto main = relay::WithFields(*module.main, module.main->params, body);
  main->type = module.main->type;
  result.main = main;
  return result;
}

}  // namespace hone
