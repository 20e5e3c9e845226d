#include "compiler/passes/layouts/cheapest_choices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/random.h"

namespace hone {
namespace {

double Draw(Random& random) { return static_cast<double>(random.Below(100)); }

void AddEdge(ChoiceGraph& graph, int from, int to, Random& random) {
  ChoiceGraph::Edge edge{from, to, {}};
  for (int i = 0; i < graph.Choices(from) * graph.Choices(to); ++i) edge.cost.push_back(Draw(random));
  graph.edges.push_back(std::move(edge));
}

ChoiceGraph RandomNodes(int count, int most_choices, Random& random) {
  ChoiceGraph graph;
  for (int i = 0; i < count; ++i) {
    graph.nodes.emplace_back(1 + random.Below(static_cast<uint64_t>(most_choices)));
    for (double& cost : graph.nodes.back()) cost = Draw(random);
  }
  return graph;
}

Choices RandomChoices(const ChoiceGraph& graph, Random& random) {
  Choices choices;
  for (const auto& costs : graph.nodes) choices.push_back(static_cast<int>(random.Below(costs.size())));
  return choices;
}

double LeastCost(const ChoiceGraph& graph) {
  Choices choices(graph.nodes.size(), 0);
  double least = CostOf(graph, choices);
  for (;;) {
    size_t node = 0;
    while (node < choices.size() && ++choices[node] == graph.Choices(static_cast<int>(node))) choices[node++] = 0;
    if (node == choices.size()) return least;
    least = std::min(least, CostOf(graph, choices));
  }
}

void ExpectCheapest(const ChoiceGraph& graph, Random& random) {
  const CheapestChoices found = FindCheapestChoices(graph, RandomChoices(graph, random));
  EXPECT_TRUE(found.exact);
  EXPECT_DOUBLE_EQ(found.cost, LeastCost(graph));
  EXPECT_DOUBLE_EQ(found.cost, CostOf(graph, found.choices));
}

TEST(CheapestChoices, OfAChain) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    ChoiceGraph graph = RandomNodes(9, 4, random);
    for (int i = 1; i < 9; ++i) round % 2 ? AddEdge(graph, i - 1, i, random) : AddEdge(graph, i, i - 1, random);
    ExpectCheapest(graph, random);
  }
}

TEST(CheapestChoices, OfDiamondsInARow) {
  Random random(2);
  for (int round = 0; round < 20; ++round) {
    ChoiceGraph graph = RandomNodes(10, 3, random);
    for (int top = 0; top + 3 < 10; top += 3) {
      for (const auto& [from, to] : {std::pair{0, 1}, {0, 2}, {1, 3}, {2, 3}}) {
        AddEdge(graph, top + from, top + to, random);
      }
    }
    ExpectCheapest(graph, random);
  }
}

TEST(CheapestChoices, OfRandomGraphs) {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    ChoiceGraph graph = RandomNodes(2 + static_cast<int>(random.Below(7)), 4, random);
    const int count = static_cast<int>(graph.nodes.size());
    for (int from = 0; from < count; ++from) {
      for (int to = 0; to < count; ++to) {
        if (from != to && random.Below(3) == 0) AddEdge(graph, from, to, random);
      }
    }
    ExpectCheapest(graph, random);
  }
}

TEST(CheapestChoices, AmongEqualsTheStartStands) {
  Random random(4);
  ChoiceGraph graph;
  graph.nodes.assign(6, std::vector<double>(3, 7));
  for (int i = 1; i < 6; ++i) graph.edges.push_back({i - 1, i, std::vector<double>(9, 2)});
  for (int round = 0; round < 10; ++round) {
    const Choices start = RandomChoices(graph, random);
    EXPECT_EQ(FindCheapestChoices(graph, start).choices, start);
  }
}

// Every node interacts with every other: far more combinations than are ever enumerated.
TEST(CheapestChoices, OfADenseGraphAreNoWorseThanTheStartOrAnySingleChange) {
  Random random(5);
  ChoiceGraph graph = RandomNodes(24, 4, random);
  for (int from = 0; from < 24; ++from) {
    for (int to = from + 1; to < 24; ++to) AddEdge(graph, from, to, random);
  }
  const Choices start = RandomChoices(graph, random);
  const CheapestChoices found = FindCheapestChoices(graph, start);
  EXPECT_FALSE(found.exact);
  EXPECT_DOUBLE_EQ(found.cost, CostOf(graph, found.choices));
  EXPECT_LT(found.cost, CostOf(graph, start));
  Choices changed = found.choices;
  for (int node = 0; node < 24; ++node) {
    int& choice = changed[static_cast<size_t>(node)];
    for (choice = 0; choice < graph.Choices(node); ++choice) EXPECT_GE(CostOf(graph, changed), found.cost - 1e-6);
    choice = found.choices[static_cast<size_t>(node)];
  }
}

TEST(DescendChoices, MovesOnlyTheNodesItIsTold) {
  ChoiceGraph graph;
  graph.nodes = {{5, 0}, {5, 0}};
  Choices choices{0, 0};
  DescendChoices(graph, {1}, choices);
  EXPECT_EQ(choices, (Choices{0, 1}));
}

}  // namespace
}  // namespace hone
