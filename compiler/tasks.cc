#include <map>

#include "compiler/build.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/passes.h"
#include "compiler/relay/infer_type.h"

namespace hone {

std::vector<Task> ExtractTasks(const relay::IRModule& module, const BuildContext& context) {
  const relay::IRModule fused = RunPassesUntil("fuse", relay::InferType(module), {context});
  std::vector<Task> tasks;
  std::map<std::string, size_t> index;
  for (const relay::ExprPtr& expr : PostOrder(fused.main->body)) {
    const relay::Call* call = relay::AsCall(expr);
    const Anchor* anchor = call ? AnchorOf(*relay::AsFunction(call->op)) : nullptr;
    if (anchor == nullptr) continue;
    const auto [it, is_new] = index.try_emplace(anchor->workload.ToText(), tasks.size());
    if (is_new) tasks.push_back({anchor->workload, 0, {}});
    Task& task = tasks[it->second];
    ++task.uses;
    if (!anchor->node.empty()) task.nodes.push_back(anchor->node);
  }
  return tasks;
}

}  // namespace hone
