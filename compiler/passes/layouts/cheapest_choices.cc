#include "compiler/passes/layouts/cheapest_choices.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

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

namespace {

// Whether a is less than b by more than the rounding error of adding in another order.
bool Less(double a, double b) { return a < b - 1e-9 * std::max(1.0, b); }

// A cost that depends on some nodes: [choice of nodes[0]][choice of nodes[1]]...
struct Factor {
  std::vector<int> nodes;  // ascending
  std::vector<double> cost;
};

class Elimination {
 public:
  Elimination(const ChoiceGraph& graph, const Choices& start) : graph_(graph), start_(start), choices_(start) {
    const auto count = static_cast<int>(graph.nodes.size());
    factors_of_.resize(graph.nodes.size());
    for (int node = 0; node < count; ++node) Add({{node}, Nth(graph.nodes, node)});
    for (const ChoiceGraph::Edge& edge : graph.edges) AddEdge(edge);
    for (int node = 0; node < count; ++node) Requeue(node);
  }

  // Runs the elimination; returns whether no node had to be guessed.
  bool Run() {
    bool exact = true;
    while (!queue_.empty()) {
      const auto [combinations, node] = *queue_.begin();
      if (combinations <= kMostCombinations) {
        Eliminate(node);
      } else {
        Guess();
        exact = false;
      }
    }
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      Nth(choices_, step->node) = step->best[IndexOf(step->neighbours)];
    }
    return exact;
  }
  const Choices& choices() const { return choices_; }

 private:
  // The best choice of an eliminated node, by its neighbours' choices.
  struct Step {
    int node;
    std::vector<int> neighbours;
    std::vector<int> best;
  };

  void AddEdge(const ChoiceGraph::Edge& edge) {
    if (edge.from < edge.to) return Add({{edge.from, edge.to}, edge.cost});
    Factor turned{{edge.to, edge.from}, std::vector<double>(edge.cost.size())};
    const auto rows = static_cast<size_t>(graph_.Choices(edge.from));
    const auto columns = static_cast<size_t>(graph_.Choices(edge.to));
    for (size_t r = 0; r < rows; ++r) {
      for (size_t c = 0; c < columns; ++c) turned.cost[c * rows + r] = edge.cost[r * columns + c];
    }
    Add(std::move(turned));
  }

  void Add(Factor factor) {
    for (const int node : factor.nodes) Nth(factors_of_, node).insert(factors_.size());
    factors_.push_back(std::move(factor));
  }

  std::vector<int> Neighbours(int node) const {
    std::set<int> all;
    for (const size_t f : Nth(factors_of_, node)) {
      all.insert(factors_[f].nodes.begin(), factors_[f].nodes.end());
    }
    all.erase(node);
    return {all.begin(), all.end()};
  }

  double Combinations(const std::vector<int>& nodes) const {
    double product = 1;
    for (const int node : nodes) product *= graph_.Choices(node);
    return product;
  }

  void Requeue(int node) {
    queued_.resize(graph_.nodes.size(), -1);
    double& queued = Nth(queued_, node);
    if (queued >= 0) queue_.erase({queued, node});
    queued = Combinations(Neighbours(node));
    queue_.insert({queued, node});
  }

  void Dequeue(int node) { queue_.erase({Nth(queued_, node), node}); }

  // Index into the table of `nodes` for the present choices.
  size_t IndexOf(const std::vector<int>& nodes) const {
    size_t index = 0;
    for (const int node : nodes) {
      index = index * static_cast<size_t>(graph_.Choices(node)) + static_cast<size_t>(Nth(choices_, node));
    }
    return index;
  }

  // Sets the nodes' choices to combination number `index`.
  void Set(const std::vector<int>& nodes, size_t index) {
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      const auto radix = static_cast<size_t>(graph_.Choices(*node));
      Nth(choices_, *node) = static_cast<int>(index % radix);
      index /= radix;
    }
  }

  double CostAround(int node) const {
    double cost = 0;
    for (const size_t f : Nth(factors_of_, node)) cost += factors_[f].cost[IndexOf(factors_[f].nodes)];
    return cost;
  }

  // The node's cheapest choice while the others stay; its start if that is among the cheapest.
  std::pair<int, double> Best(int node) {
    int& choice = Nth(choices_, node);
    const int kept = choice;
    choice = Nth(start_, node);
    std::pair<int, double> best{choice, CostAround(node)};
    for (choice = 0; choice < graph_.Choices(node); ++choice) {
      const double cost = CostAround(node);
      if (Less(cost, best.second)) best = {choice, cost};
    }
    choice = kept;
    return best;
  }

  void Detach(int node) {
    for (const size_t f : Nth(factors_of_, node)) {
      for (const int other : factors_[f].nodes) {
        if (other != node) Nth(factors_of_, other).erase(f);
      }
    }
    Nth(factors_of_, node).clear();
  }

  void Eliminate(int node) {
    Step step{node, Neighbours(node), {}};
    Factor left{step.neighbours, {}};
    const auto combinations = static_cast<size_t>(Combinations(step.neighbours));
    for (size_t i = 0; i < combinations; ++i) {
      Set(step.neighbours, i);
      const auto [choice, cost] = Best(node);
      step.best.push_back(choice);
      left.cost.push_back(cost);
    }
    Detach(node);
    Dequeue(node);
    if (!left.nodes.empty()) Add(std::move(left));
    for (const int other : step.neighbours) Requeue(other);
    steps_.push_back(std::move(step));
  }

  // Least cost of a factor with the node's choice, over all choices of the other nodes.
  double LeastWith(const Factor& factor, int node, int choice) {
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < factor.cost.size(); ++i) {
      Set(factor.nodes, i);
      if (Nth(choices_, node) == choice) least = std::min(least, factor.cost[i]);
    }
    return least;
  }

  // Fixes the node with the most combinations around it, which separates its neighbours.
  void Guess() {
    const int node = queue_.rbegin()->second;
    int best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int choice = 0; choice < graph_.Choices(node); ++choice) {
      double cost = 0;
      for (const size_t f : Nth(factors_of_, node)) cost += LeastWith(factors_[f], node, choice);
      if (cost < least) {
        best = choice;
        least = cost;
      }
    }
    Fix(node, best);
  }

  void Fix(int node, int choice) {
    const std::vector<int> neighbours = Neighbours(node);
    const std::set<size_t> around = Nth(factors_of_, node);
    Detach(node);
    Dequeue(node);
    for (const size_t f : around) {
      Factor left;
      for (const int other : factors_[f].nodes) {
        if (other != node) left.nodes.push_back(other);
      }
      if (left.nodes.empty()) continue;
      for (size_t i = 0; i < factors_[f].cost.size(); ++i) {
        Set(factors_[f].nodes, i);
        if (Nth(choices_, node) == choice) left.cost.push_back(factors_[f].cost[i]);
      }
      Add(std::move(left));
    }
    for (const int other : neighbours) Requeue(other);
    steps_.push_back({node, {}, {choice}});
  }

  const ChoiceGraph& graph_;
  const Choices& start_;
  Choices choices_;  // scratch while nodes are eliminated, then the answer
  std::vector<Factor> factors_;
  std::vector<std::set<size_t>> factors_of_;  // by node; the remaining ones
  std::vector<double> queued_;
  std::set<std::pair<double, int>> queue_;  // remaining nodes, by the combinations of their neighbours
  std::vector<Step> steps_;
};

}  // namespace

void DescendChoices(const ChoiceGraph& graph, const std::vector<int>& nodes, Choices& choices) {
  std::vector<std::vector<const ChoiceGraph::Edge*>> edges(graph.nodes.size());
  for (const ChoiceGraph::Edge& edge : graph.edges) {
    Nth(edges, edge.from).push_back(&edge);
    Nth(edges, edge.to).push_back(&edge);
  }
  const auto cost_of = [&](int node) {
    double cost = Nth(Nth(graph.nodes, node), Nth(choices, node));
    for (const ChoiceGraph::Edge* edge : Nth(edges, node)) {
      const auto row = static_cast<size_t>(Nth(choices, edge->from));
      const auto columns = static_cast<size_t>(graph.Choices(edge->to));
      cost += edge->cost[row * columns + static_cast<size_t>(Nth(choices, edge->to))];
    }
    return cost;
  };
  // Each change lowers the sum by more than rounding (Less), so the loop ends with choices of which no single one can
  // be improved.
  for (bool gained = true; gained;) {
    gained = false;
    for (const int node : nodes) {
      int& choice = Nth(choices, node);
      int best = choice;
      double least = cost_of(node);
      for (choice = 0; choice < graph.Choices(node); ++choice) {
        const double cost = cost_of(node);
        if (!Less(cost, least)) continue;
        best = choice;
        least = cost;
        gained = true;
      }
      choice = best;
    }
  }
}

CheapestChoices FindCheapestChoices(const ChoiceGraph& graph, const Choices& start) {
  Elimination elimination(graph, start);
  CheapestChoices found{start, CostOf(graph, start), elimination.Run()};
  Choices other = elimination.choices();
  if (!found.exact) {
    std::vector<int> all(graph.nodes.size());
    std::iota(all.begin(), all.end(), 0);
    DescendChoices(graph, all, other);
    DescendChoices(graph, all, found.choices);
    found.cost = CostOf(graph, found.choices);
  }
  const double cost = CostOf(graph, other);
  if (Less(cost, found.cost)) {
    found.choices = std::move(other);
    found.cost = cost;
  }
  return found;
}

}  // namespace hone
