#include "compiler/passes/general_passes.h"
#include "compiler/relay/visitor.h"

namespace hone {

using relay::ExprPtr;

relay::IRModule DropDoubleAbs(const relay::IRModule& module) {
  relay::IRModule after = module;
  const ExprPtr main = relay::RewritePostOrder(module.main, [](const ExprPtr&, const ExprPtr& now) {
    const relay::Call* outer = relay::AsCallTo(now, "abs");
    return outer != nullptr && relay::AsCallTo(outer->args[0], "abs") != nullptr ? outer->args[0] : now;
  });
  after.main = std::static_pointer_cast<const relay::Function>(main);
  return after;
}

}  // namespace hone
