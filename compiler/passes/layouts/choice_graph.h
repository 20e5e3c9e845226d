// A problem of choices with costs for nodes and for pairs, which the layout search solves. It is independent of
// layouts.
#pragma once

#include <cstddef>
#include <vector>

#include "core/nth.h"

namespace hone {

// A partitioned boolean quadratic problem (PBQP): every node takes one of its choices. The sum of the costs of the
// taken choices and of the edges between them is to be minimal. Costs are finite and not negative.
struct ChoiceGraph {
  struct Edge {
    int from = 0, to = 0;      // different nodes
    std::vector<double> cost;  // [choice of from][choice of to], row-major
  };
  std::vector<std::vector<double>> nodes;  // cost by choice, at least one each
  std::vector<Edge> edges;                 // any number between two nodes

  int Choices(int node) const { return static_cast<int>(Nth(nodes, node).size()); }
};

// One choice per node.
using Choices = std::vector<int>;

double CostOf(const ChoiceGraph& graph, const Choices& choices);

}  // namespace hone
