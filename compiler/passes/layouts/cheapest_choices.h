// The cheapest choices of a graph of choices.
#pragma once

#include "compiler/passes/layouts/choice_graph.h"

namespace hone {

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
