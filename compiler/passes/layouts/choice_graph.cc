#include "compiler/passes/layouts/choice_graph.h"

#include "core/nth.h"

namespace hone {

double CostOf(const ChoiceGraph& graph, const Choices& choices) {
  const auto chosen = [&](int node) { return static_cast<size_t>(Nth(choices, node)); };
  double cost = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) cost += graph.nodes[i][chosen(static_cast<int>(i))];
  for (const ChoiceGraph::Edge& edge : graph.edges) {
    cost += edge.cost[chosen(edge.from) * static_cast<size_t>(graph.Choices(edge.to)) + chosen(edge.to)];
  }
  return cost;
}

}  // namespace hone
