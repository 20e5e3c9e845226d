// The cheapest choices of a graph of choices.
#pragma once

#include "compiler/passes/layouts/choice_graph.h"

namespace hone {

struct CheapestChoices {
  Choices choices;
  double cost = 0;
  bool exact = true;  // no other choices cost less
};

// Eliminates node after node, the one whose neighbours have the fewest combinations first: for each of these the best
// choice of the node is kept, as in dynamic programming over a chain (bucket elimination: Dechter, "Bucket elimination:
// a unifying framework for reasoning", Artificial Intelligence 113, 1999; nodes with at most two neighbours are the
// reductions R0, RI and RII of PBQP: Scholz and Eckstein, "Register allocation for irregular architectures", 2002).
// Exact while no node left has more than kMostCombinations; else the node with the most neighbours takes what is
// cheapest with the best of each of them, and single choices are bettered at the end until none gains.
//
// Never costs more than `start`, and is `start` where nothing costs less: among equals its choices stand.
// Deterministic.
CheapestChoices FindCheapestChoices(const ChoiceGraph& graph, const Choices& start);
inline constexpr double kMostCombinations = 1 << 16;

// Betters the choices of single nodes, in the order of `nodes`, until none gains.
void DescendChoices(const ChoiceGraph& graph, const std::vector<int>& nodes, Choices& choices);

}  // namespace hone
