#include "compiler/passes/layouts/layout_search.h"

#include "compiler/passes/graph/typed_graph.h"

namespace hone {

MachineModel MachineOf(const relay::ExprPtr& body, const PassContext& context) {
  MachineModel machine = context.build.machine();
  int64_t bytes = 0;
  for (const relay::ExprPtr& expr : PostOrder(body)) {
    if (const relay::Constant* constant = relay::AsConstant(expr)) bytes += constant->value.size_bytes();
  }
  if (bytes > machine.l2_bytes / 2) return machine;
  machine.cold_bytes_per_cycle = machine.shared_bytes_per_cycle = machine.moved_bytes_per_cycle.l2;
  return machine;
}

LayoutSearch::LayoutSearch(const relay::ExprPtr& body, ConfigChooser& configs, const MachineModel& machine)
    : graph_(body, configs, machine), found_(FindCheapestChoices(graph_.graph(), graph_.per_layer())) {}

double LayoutSearch::NsWith(const relay::Expr* call, size_t way) const {
  constexpr double kNeverNs = 1e15;  // longer than any run, so that the other ways are not taken
  const auto node = static_cast<size_t>(graph_.NodeOf(call));
  ChoiceGraph graph = graph_.graph();
  for (size_t choice = 0; choice < graph.nodes[node].size(); ++choice) {
    if (choice != way) graph.nodes[node][choice] += kNeverNs;
  }
  Choices start = found_.choices;
  start[node] = static_cast<int>(way);
  return FindCheapestChoices(graph, start).cost;
}

}  // namespace hone
