#include "compiler/plan/call_function.h"

#include <memory>

#include "compiler/ops/attention/kernel.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using relay::FunctionPtr;
using relay::TypePtr;

FunctionPtr CopyFunction(const TypePtr& type) {
  auto var = std::make_shared<relay::Var>("p0", type);
  return TypedFunction({var}, var, {{"Primitive", int64_t{1}}});
}

FunctionSummary Summarise(const relay::Function& function) {
  FunctionSummary summary;
  summary.nodes = NodeNames(function);
  for (const ExprPtr& expr : PostOrder(function.body)) {
    const Call* call = relay::AsCall(expr);
    if (call == nullptr) continue;
    summary.op = relay::AsOp(call->op)->def->name;
    break;
  }
  if (const Anchor* anchor = AnchorOf(function)) summary.op = anchor->workload.op;
  if (AttentionOf(function) != nullptr) summary.op = kAttentionName;
  return summary;
}

}  // namespace hone
