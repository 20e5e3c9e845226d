// A problem of choices with costs for nodes and for pairs, and its cheapest solution. It is independent of layouts; the
// layout search solves it.
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

struct CheapestChoices {
  Choices choices;
  double cost = 0;
  bool exact = true;  // whether no other choices cost less
};

// Eliminates the nodes one by one, each time the node whose neighbours have the fewest combinations of choices. For
// each combination it keeps the node's best choice, as in dynamic programming over a chain. This is bucket elimination
// (Dechter, "Bucket elimination: a unifying framework for reasoning", Artificial Intelligence 113, 1999). Nodes with at
// most two neighbours are the reductions R0, RI and RII of PBQP (Scholz and Eckstein, "Register allocation for
// irregular architectures", 2002).
//
// The result is exact while each node's neighbours have at most kMostCombinations. Otherwise the node with the most
// neighbours takes its cheapest choice together with the best of each neighbour. At the end single choices are improved
// until none gains.
//
// The result never costs more than `start`, and equals `start` if nothing costs less: on ties its choices stay.
// Deterministic.
CheapestChoices FindCheapestChoices(const ChoiceGraph& graph, const Choices& start);
inline constexpr double kMostCombinations = 1 << 16;

// Improves the choices of single nodes, in the order of `nodes`, until none gains.
void DescendChoices(const ChoiceGraph& graph, const std::vector<int>& nodes, Choices& choices);

}  // namespace hone
