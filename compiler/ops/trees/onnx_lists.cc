#include "compiler/ops/trees/onnx_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "compiler/ops/classical/onnx.h"
#include "compiler/ops/trees/op_tree_node.h"

namespace hone {
namespace {

using relay::TreeOutcome;

struct Mode {
  std::string_view name;
  uint8_t outcomes;
};

// In the order of TreeEnsemble's numbers. NaN counts as different from every threshold.
constexpr std::array kModes{Mode{"BRANCH_LEQ", TreeOutcome::kLess | TreeOutcome::kEqual},
                            Mode{"BRANCH_LT", TreeOutcome::kLess},
                            Mode{"BRANCH_GTE", TreeOutcome::kGreater | TreeOutcome::kEqual},
                            Mode{"BRANCH_GT", TreeOutcome::kGreater},
                            Mode{"BRANCH_EQ", TreeOutcome::kEqual},
                            Mode{"BRANCH_NEQ", relay::kAllTreeOutcomes & ~TreeOutcome::kEqual},
                            Mode{"BRANCH_MEMBER", TreeOutcome::kEqual}};
constexpr int64_t kMember = kModes.size() - 1;

// The name of a node in both kinds of list.
struct NodeId {
  int64_t tree = 0, node = 0;
  auto operator<=>(const NodeId&) const = default;
};

// The lists of the classifier and the regressor. Node i is number nodeids[i] of tree treeids[i]; leaves
// have the same two numbers.
class NamedTrees {
 public:
  // `kind` is the prefix of the lists of weights, "class" or "target".
  NamedTrees(const OnnxNodeView& view, std::string_view kind) : view_(view), kind_(kind) {
    trees_ = view.Ints("nodes_treeids", {});
    numbers_ = view.Ints("nodes_nodeids", {});
    modes_ = ModesOf();
    RequireCount("nodes_nodeids", numbers_.size(), trees_.size(), "nodes");
    for (size_t i = 0; i < trees_.size(); ++i) places_.emplace_back(NodeId{trees_[i], numbers_[i]}, i);
    std::sort(places_.begin(), places_.end());
    const auto twice = std::adjacent_find(places_.begin(), places_.end(),
                                          [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twice != places_.end()) Refuse(twice->first, "is there twice");
  }

  TreeTable Read(int64_t targets) {
    table_.targets = targets;
    for (const std::string& mode : modes_) {
      at_.push_back(mode == "LEAF" ? ~table_.leaves++ : static_cast<int64_t>(branches_++));
    }
    ReadNodes();
    ReadRoots();
    ReadWeights();
    return std::move(table_);
  }

 private:
  [[noreturn]] static void Refuse(const NodeId& id, std::string_view what) {
    RefuseNode(fmt::format("node {} of tree {} {}", id.node, id.tree, what));
  }

  std::vector<std::string> ModesOf() const {
    const OnnxAttribute* modes = view_.Find("nodes_modes");
    if (modes == nullptr || modes->kind != OnnxAttribute::Kind::kStrings) RefuseNode("it has no nodes_modes");
    RequireCount("nodes_modes", modes->strings.size(), trees_.size(), "nodes");
    return modes->strings;
  }

  // The index of a node in the table.
  int64_t Find(const NodeId& id, std::string_view why) const {
    const auto found = std::lower_bound(places_.begin(), places_.end(), std::pair(id, size_t{0}));
    if (found == places_.end() || found->first != id) Refuse(id, fmt::format("is {}, but not there", why));
    return at_[found->second];
  }

  std::vector<int64_t> NodeInts(std::string_view name) const {
    std::vector<int64_t> ints = view_.Ints(name, {});
    RequireCount(name, ints.size(), trees_.size(), "nodes");
    return ints;
  }

  void ReadNodes() {
    const std::vector<int64_t> features = NodeInts("nodes_featureids"), yes = NodeInts("nodes_truenodeids"),
                               no = NodeInts("nodes_falsenodeids");
    std::vector<int64_t> missing = view_.Ints("nodes_missing_value_tracks_true", {});
    if (missing.empty()) missing.resize(trees_.size());
    RequireCount("nodes_missing_value_tracks_true", missing.size(), trees_.size(), "nodes");
    const std::vector<float> values = FloatsOf(view_, "nodes_values");
    RequireCount("nodes_values", values.size(), trees_.size(), "nodes");
    table_.nodes.reserve(branches_);
    for (size_t i = 0; i < trees_.size(); ++i) {
      if (at_[i] < 0) continue;
      const auto* const mode = std::find_if(kModes.begin(), kModes.begin() + kMember,
                                            [&](const Mode& row) { return row.name == modes_[i]; });
      if (mode == kModes.begin() + kMember) {
        Refuse({trees_[i], numbers_[i]}, fmt::format("has the mode \"{}\", which is not known", modes_[i]));
      }
      const auto outcomes = static_cast<uint8_t>(mode->outcomes | (missing[i] != 0 ? TreeOutcome::kUnordered : 0));
      table_.nodes.push_back({features[i], values[i], outcomes, Find({trees_[i], yes[i]}, "a true child"),
                              Find({trees_[i], no[i]}, "a false child")});
    }
  }

  // Each tree begins with its root.
  void ReadRoots() {
    std::set<int64_t> seen;
    for (size_t i = 0; i < trees_.size(); ++i) {
      if (i > 0 && trees_[i] == trees_[i - 1]) continue;
      if (!seen.insert(trees_[i]).second) RefuseNode(fmt::format("the nodes of tree {} lie apart", trees_[i]));
      table_.roots.push_back(at_[i]);
    }
  }

  std::string Named(std::string_view list) const { return fmt::format("{}_{}", kind_, list); }

  // Ignores weights of nodes that are no leaves; old converters write them.
  void ReadWeights() {
    const std::vector<int64_t> targets = view_.Ints(Named("ids"), {}), trees = view_.Ints(Named("treeids"), {}),
                               nodes = view_.Ints(Named("nodeids"), {});
    const std::vector<float> values = FloatsOf(view_, Named("weights"));
    RequireCount(Named("ids"), targets.size(), values.size(), "weights");
    RequireCount(Named("treeids"), trees.size(), values.size(), "weights");
    RequireCount(Named("nodeids"), nodes.size(), values.size(), "weights");
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t at = Find({trees[i], nodes[i]}, "a weight's");
      if (at < 0) table_.weights.push_back({~at, targets[i], values[i]});
    }
  }

  const OnnxNodeView& view_;
  std::string kind_;
  std::vector<int64_t> trees_, numbers_;
  std::vector<std::string> modes_;
  std::vector<std::pair<NodeId, size_t>> places_;  // sorted
  std::vector<int64_t> at_;                        // by node of the lists, its index in the table
  size_t branches_ = 0;
  TreeTable table_;
};

// The lists of TreeEnsemble.
class LinkedTrees {
 public:
  explicit LinkedTrees(const OnnxNodeView& view) : view_(view), splits_(FloatsOf(view, "nodes_splits")) {}

  TreeTable Read() {
    table_.targets = view_.Int("n_targets", 1);
    table_.roots = view_.Ints("tree_roots", {});
    ReadLeaves();
    ReadNodes();
    for (const int64_t root : table_.roots) {
      if (root < 0 || root >= static_cast<int64_t>(splits_.size())) {
        RefuseNode(fmt::format("root {} of {} nodes", root, splits_.size()));
      }
    }
    return std::move(table_);
  }

 private:
  std::vector<int64_t> NodeInts(std::string_view name, bool may_lack = false) const {
    std::vector<int64_t> ints = IntsOf(view_, name);
    if (may_lack && ints.empty()) ints.resize(splits_.size());
    RequireCount(name, ints.size(), splits_.size(), "nodes");
    return ints;
  }

  void ReadLeaves() {
    const std::vector<int64_t> targets = view_.Ints("leaf_targetids", {});
    const std::vector<float> weights = FloatsOf(view_, "leaf_weights");
    RequireCount("leaf_targetids", targets.size(), weights.size(), "leaf_weights");
    table_.leaves = static_cast<int64_t>(weights.size());
    for (size_t i = 0; i < weights.size(); ++i) {
      table_.weights.push_back({static_cast<int64_t>(i), targets[i], weights[i]});
    }
  }

  void ReadNodes() {
    const std::vector<int64_t> features = NodeInts("nodes_featureids"), modes = NodeInts("nodes_modes"),
                               yes = NodeInts("nodes_truenodeids"), no = NodeInts("nodes_falsenodeids"),
                               yes_leafs = NodeInts("nodes_trueleafs"), no_leafs = NodeInts("nodes_falseleafs"),
                               missing = NodeInts("nodes_missing_value_tracks_true", true);
    const std::vector<float> members = FloatsOf(view_, "membership_values");
    auto member = members.begin();
    table_.nodes.resize(splits_.size());
    for (size_t i = 0; i < splits_.size(); ++i) {
      if (modes[i] < 0 || modes[i] > kMember) RefuseNode(fmt::format("node {} has the mode {}", i, modes[i]));
      const auto outcomes =
          static_cast<uint8_t>(Nth(kModes, modes[i]).outcomes | (missing[i] != 0 ? TreeOutcome::kUnordered : 0));
      table_.nodes[i] = {features[i], splits_[i], outcomes, Child(i, yes[i], yes_leafs[i]),
                         Child(i, no[i], no_leafs[i])};
      if (modes[i] == kMember) {
        const auto end = std::find_if(member, members.end(), [](float value) { return std::isnan(value); });
        ReadSet(i, {member, end});
        member = end == members.end() ? end : end + 1;
      }
    }
  }

  // Positions beyond the lists must not reach the nodes that sets append.
  int64_t Child(size_t node, int64_t at, int64_t is_leaf) const {
    const int64_t count = is_leaf != 0 ? table_.leaves : static_cast<int64_t>(splits_.size());
    if (at < 0 || at >= count) {
      RefuseNode(fmt::format("node {} has {} {} of {} for a child", node, is_leaf != 0 ? "leaf" : "node", at, count));
    }
    return is_leaf != 0 ? ~at : at;
  }

  // A set becomes a chain of comparisons with its members; each but the last leads to the next.
  void ReadSet(size_t i, const std::vector<float>& set) {
    if (set.empty()) RefuseNode(fmt::format("node {} has no set in membership_values", i));
    size_t at = i;
    for (size_t k = 0; k < set.size(); ++k) {
      table_.nodes[at].threshold = set[k];
      if (k + 1 == set.size()) break;
      const TreeTable::Node node = table_.nodes[at];
      table_.nodes[at].no = static_cast<int64_t>(table_.nodes.size());
      at = table_.nodes.size();
      table_.nodes.push_back(node);
    }
  }

  const OnnxNodeView& view_;
  std::vector<float> splits_;
  TreeTable table_;
};

}  // namespace

TreeTable ReadNamedTrees(const OnnxNodeView& view, std::string_view kind, int64_t targets) {
  return NamedTrees(view, kind).Read(targets);
}

TreeTable ReadLinkedTrees(const OnnxNodeView& view) { return LinkedTrees(view).Read(); }

}  // namespace hone
