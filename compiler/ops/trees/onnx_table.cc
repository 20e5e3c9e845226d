#include "compiler/ops/trees/onnx_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/trees/op_tree_node.h"

namespace hone {
namespace {

using relay::ExprPtr;

// A leaf of few weights takes the room of the largest one. This limits the ratio of that padding to the actual weights.
constexpr size_t kMostPadding = 16, kFreePadding = 65536;

void CheckRanges(const TreeTable& table, int64_t features) {
  const auto nodes = static_cast<int64_t>(table.nodes.size());
  const auto is_place = [&](int64_t at) { return at < 0 ? ~at < table.leaves : at < nodes; };
  if (table.roots.empty()) RefuseNode("it has no tree");
  if (table.targets < 1) RefuseNode(fmt::format("{} targets; there must be one or more", table.targets));
  if (nodes > INT32_MAX / 2 || table.leaves > INT32_MAX / 2) RefuseNode("more nodes than 32 bits count");
  for (size_t i = 0; i < table.nodes.size(); ++i) {
    const TreeTable::Node& node = table.nodes[i];
    if (node.feature < 0 || node.feature >= features) {
      RefuseNode(fmt::format("node {} asks for feature {} of {}", i, node.feature, features));
    }
    if (!is_place(node.yes) || !is_place(node.no)) RefuseNode(fmt::format("node {} has a child that is not there", i));
  }
  for (const int64_t root : table.roots) {
    if (!is_place(root)) RefuseNode(fmt::format("root {} is not there", root));
  }
  for (const TreeTable::Weight& weight : table.weights) {
    if (weight.leaf < 0 || weight.leaf >= table.leaves || weight.target < 0 || weight.target >= table.targets) {
      RefuseNode(fmt::format("a weight for target {} of {}", weight.target, table.targets));
    }
  }
}

// The nodes in the order of a walk that takes true children first, so that a node and its likely successor are
// neighbours. Nodes that no root leads to are omitted.
class Walk {
 public:
  explicit Walk(const TreeTable& table) : table_(table), place_(table.nodes.size(), kUnseen) {
    for (const int64_t root : table.roots) {
      if (root >= 0 && Nth(place_, root) == kUnseen) From(root);
    }
  }

  const std::vector<int64_t>& order() const { return order_; }
  int32_t Moved(int64_t at) const { return static_cast<int32_t>(at < 0 ? at : Nth(place_, at)); }

 private:
  static constexpr int64_t kUnseen = -1;
  struct Open {
    int64_t node;
    int children;  // number of children visited
  };

  void From(int64_t root) {
    std::vector<char>& is_open = is_open_;
    is_open.resize(place_.size());
    std::vector<Open> path;
    const auto enter = [&](int64_t node) {
      Nth(place_, node) = static_cast<int64_t>(order_.size());
      order_.push_back(node);
      Nth(is_open, node) = 1;
      path.push_back({node, 0});
    };
    enter(root);
    while (!path.empty()) {
      Open& open = path.back();
      if (open.children == 2) {
        Nth(is_open, open.node) = 0;
        path.pop_back();
        continue;
      }
      const TreeTable::Node& node = Nth(table_.nodes, open.node);
      const int64_t child = open.children++ == 0 ? node.yes : node.no;
      if (child < 0) continue;
      if (Nth(is_open, child) != 0) {
        RefuseNode(fmt::format("node {} leads back to node {} above it", open.node, child));
      }
      if (Nth(place_, child) == kUnseen) enter(child);
    }
  }

  const TreeTable& table_;
  std::vector<int64_t> place_, order_;
  std::vector<char> is_open_;  // by node: on the path from the root to the walk's position
};

Tensor PackedNodes(const TreeTable& table, const Walk& walk) {
  const auto count = std::bit_ceil(walk.order().size());
  Tensor packed(DType::kInt32, {static_cast<int64_t>(count), relay::kTreeNodeWords});
  auto* word = packed.data<int32_t>();
  for (const int64_t at : walk.order()) {
    const TreeTable::Node& node = Nth(table.nodes, at);
    *word++ = static_cast<int32_t>(node.feature << relay::kTreeOutcomeBits | node.outcomes);
    *word++ = std::bit_cast<int32_t>(node.threshold);
    *word++ = walk.Moved(node.yes);
    *word++ = walk.Moved(node.no);
  }
  return packed;
}

// The leaves' weights, in rows as long as the largest leaf's.
struct LeafRows {
  Tensor weights, targets;
  bool in_order = true;  // weight i belongs to target i in every leaf
  bool complete = true;  // every leaf has a weight for every target
};

LeafRows RowsOf(const TreeTable& table, float neutral) {
  std::vector<int64_t> held(static_cast<size_t>(table.leaves));
  for (const TreeTable::Weight& weight : table.weights) ++Nth(held, weight.leaf);
  const int64_t width = std::max<int64_t>(1, held.empty() ? 0 : *std::max_element(held.begin(), held.end()));
  const int64_t leaves = std::max<int64_t>(1, table.leaves);
  const auto most = static_cast<int64_t>(table.weights.size() * kMostPadding + kFreePadding);
  if (width > most / leaves + 1) {
    RefuseNode(fmt::format("{} leaves, one of which has {} weights of {}", leaves, width, table.weights.size()));
  }
  LeafRows rows{Tensor(DType::kFloat32, {leaves, width}), Tensor(DType::kInt32, {leaves, width})};
  auto* values = rows.weights.data<float>();
  auto* targets = rows.targets.data<int32_t>();
  std::fill_n(values, leaves * width, neutral);
  std::fill(held.begin(), held.end(), 0);
  for (const TreeTable::Weight& weight : table.weights) {
    const int64_t i = Nth(held, weight.leaf)++;
    rows.in_order = rows.in_order && weight.target == i;
    values[weight.leaf * width + i] = weight.value;
    targets[weight.leaf * width + i] = static_cast<int32_t>(weight.target);
  }
  rows.in_order = rows.in_order && width == table.targets;
  rows.complete = rows.in_order && std::count(held.begin(), held.end(), width) == table.leaves;
  return rows;
}

// The outcomes for which all nodes take their true child, and those for which some do.
relay::Attrs OutcomesOf(const TreeTable& table, const Walk& walk) {
  int64_t all = relay::kAllTreeOutcomes, some = 0;
  for (const int64_t at : walk.order()) {
    all &= Nth(table.nodes, at).outcomes;
    some |= Nth(table.nodes, at).outcomes;
  }
  if (walk.order().empty()) all = 0;
  return {{"always", all}, {"varies", some & ~all}};
}

// Replaces the infinity of a target without a weight by 0.
ExprPtr ZeroWhereInfinite(const OnnxNodeView& view, const ExprPtr& scores) {
  const ExprPtr infinity = ScalarLike(view, scores, std::numeric_limits<double>::infinity());
  const ExprPtr is_infinite = view.Call("equal", {view.Call("abs", {scores}), infinity});
  return view.Call("where", {is_infinite, ScalarLike(view, scores, 0), scores});
}

bool IsInfinite(const TreeTable::Weight& weight) { return std::isinf(weight.value); }

}  // namespace

ExprPtr TreeScores(const OnnxNodeView& view, const ExprPtr& data, const TreeTable& table, TreeAggregate aggregate) {
  CheckRanges(table, view.builder().ShapeOf(data)[1]);
  const bool sums = aggregate == TreeAggregate::kSum || aggregate == TreeAggregate::kAverage;
  const bool is_min = aggregate == TreeAggregate::kMin;
  const float infinity = std::numeric_limits<float>::infinity();
  const LeafRows rows = RowsOf(table, sums ? 0 : is_min ? infinity : -infinity);
  const Walk walk(table);
  std::vector<int32_t> roots;
  roots.reserve(table.roots.size());
  for (const int64_t root : table.roots) roots.push_back(walk.Moved(root));
  const auto trees = static_cast<int64_t>(roots.size());
  std::vector<ExprPtr> args{data, relay::MakeConstant(PackedNodes(table, walk), "nodes"),
                            relay::MakeConstant(Tensor::FromVector(DType::kInt32, {trees}, roots), "roots"),
                            relay::MakeConstant(rows.weights, "weights")};
  if (!rows.in_order) args.push_back(relay::MakeConstant(rows.targets, "leaf_targets"));
  relay::Attrs attrs = OutcomesOf(table, walk);
  attrs.Set("targets", table.targets);
  attrs.Set("aggregate", std::string(sums ? "sum" : is_min ? "min" : "max"));
  ExprPtr scores = view.builder().Unfolded("tree_ensemble", std::move(args), std::move(attrs));
  if (aggregate == TreeAggregate::kAverage) {
    return view.Call("divide", {scores, ScalarLike(view, scores, static_cast<double>(trees))});
  }
  if (sums || rows.complete) return scores;
  if (std::any_of(table.weights.begin(), table.weights.end(), IsInfinite)) {
    RefuseNode("a weight is infinite, and not every leaf has a weight for every target");
  }
  return ZeroWhereInfinite(view, scores);
}

}  // namespace hone
