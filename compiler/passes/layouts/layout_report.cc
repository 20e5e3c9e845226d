#include "compiler/passes/layouts/layout_report.h"

#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/typed_graph.h"

namespace hone {

LayoutReport ReportLayouts(const relay::IRModule& optimized) {
  LayoutReport report;
  if (const auto* costs = relay::NoteOf<LayoutCosts>(*optimized.main)) {
    report.expected_ns = costs->expected_ns;
    report.per_layer_ns = costs->per_layer_ns;
  }
  for (const relay::ExprPtr& expr : PostOrder(optimized.main->body)) {
    const relay::Call* call = relay::AsCall(expr);
    const relay::Function* function = call ? relay::AsFunction(call->op) : nullptr;
    if (function == nullptr) continue;
    report.anchors += ChoiceOf(*function) != nullptr;
    report.transforms += relay::AsCallTo(function->body, "layout_transform") != nullptr;
  }
  return report;
}

}  // namespace hone
