// Tree ensembles of the domain ai.onnx.ml: the classifier, the regressor and TreeEnsemble. The first two name nodes by
// tree and number; the lists of TreeEnsemble point into each other.
#include "compiler/ops/classical/onnx.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"
#include "compiler/ops/trees/onnx_lists.h"
#include "compiler/ops/trees/onnx_table.h"

namespace hone {
namespace {

using relay::ExprPtr;

// Values added to the scores of `targets` targets; null if there are none.
ExprPtr BaseValues(const OnnxNodeView& view, int64_t targets) {
  const std::vector<float> base = FloatsOf(view, "base_values");
  if (base.empty()) return nullptr;
  RequireCount("base_values", base.size(), static_cast<size_t>(targets), "targets");
  return relay::MakeConstant(Tensor::FromVector(DType::kFloat32, {1, targets}, base), "base_values");
}

ExprPtr WithBase(const OnnxNodeView& view, const ExprPtr& scores, int64_t targets) {
  const ExprPtr base = BaseValues(view, targets);
  return base == nullptr ? scores : view.Call("add", {scores, base});
}

TreeAggregate AggregateOf(const std::string& name) {
  constexpr std::array kNames{"AVERAGE", "SUM", "MIN", "MAX"};
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    RefuseNode(fmt::format("aggregate_function is \"{}\"; it may be AVERAGE, SUM, MIN or MAX", name));
  }
  return static_cast<TreeAggregate>(found - kNames.begin());
}

std::vector<ExprPtr> TreeRegressor(const OnnxNodeView& view) {
  const int64_t targets = view.Int("n_targets", 1);
  const TreeTable table = ReadNamedTrees(view, "target", targets);
  const ExprPtr scores =
      TreeScores(view, FeatureMatrix(view), table, AggregateOf(view.String("aggregate_function", "SUM")));
  return {PostTransform(view, WithBase(view, scores, targets), view.String("post_transform", "NONE"))};
}

ExprPtr SideBySide(const OnnxNodeView& view, const ExprPtr& left, const ExprPtr& right) {
  return view.builder().CallOnTuple("concatenate", {left, right}, {{"axis", int64_t{1}}});
}

// Two classes with weights for only one of them. ONNX does not define this case; it follows ONNX Runtime.
class OneWeightColumn {
 public:
  OneWeightColumn(const OnnxNodeView& view, const TreeTable& table, const std::vector<int64_t>& labels)
      : view_(view), table_(table), labels_(labels), base_(FloatsOf(view, "base_values")) {}

  std::vector<ExprPtr> Outputs() {
    TreeTable column = table_;
    column.targets = 1;
    for (TreeTable::Weight& weight : column.weights) weight.target = 0;
    const bool is_second = !table_.weights.empty() && table_.weights[0].target == 1;
    const ExprPtr sum = TreeScores(view_, FeatureMatrix(view_), column, TreeAggregate::kSum);
    const std::string transform = view_.String("post_transform", "NONE");
    if (!is_second && base_.size() < 2) {
      const ExprPtr score = base_.empty() ? sum : Plus(sum, base_[0]);
      return {Label(score), PairOf(score, transform)};
    }
    if (is_second && base_.size() == 2) RefuseNode("base_values of two classes, and weights for the second alone");
    const ExprPtr zeros = view_.Call("multiply", {sum, ScalarLike(view_, sum, 0)});
    const ExprPtr first = is_second ? zeros : Plus(sum, base_[0]);
    const ExprPtr second = is_second ? sum : zeros;
    return {Label(is_second ? second : first), PostTransform(view_, SideBySide(view_, first, second), transform)};
  }

 private:
  bool all_positive() const {
    return std::none_of(table_.weights.begin(), table_.weights.end(), [](const auto& w) { return w.value < 0; });
  }
  ExprPtr Plus(const ExprPtr& x, float value) const {
    return view_.Call("add", {x, ScalarLike(view_, x, static_cast<double>(value))});
  }

  ExprPtr Label(const ExprPtr& score) const {
    const ExprPtr above = view_.Call("greater", {score, ScalarLike(view_, score, all_positive() ? 0.5 : 0)});
    const auto label = [&](size_t i) {
      return relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {}, {labels_[i]}));
    };
    const ExprPtr labels = view_.Call("where", {above, label(1), label(0)});
    return view_.Reshape(labels, {view_.builder().ShapeOf(score)[0]});
  }

  // Weights that are all positive sum to a probability, others to a margin.
  ExprPtr PairOf(const ExprPtr& score, const std::string& transform) const {
    const ExprPtr negative = view_.Call("negative", {score});
    if (transform == "PROBIT") RefuseNode("post_transform PROBIT of one weight column");
    if (transform == "LOGISTIC") return view_.Call("sigmoid", {SideBySide(view_, negative, score)});
    return SideBySide(view_, all_positive() ? Plus(negative, 1) : negative, score);
  }

  const OnnxNodeView& view_;
  const TreeTable& table_;
  const std::vector<int64_t>& labels_;
  std::vector<float> base_;
};

bool HasOneColumn(const TreeTable& table) {
  return table.targets == 2 && std::all_of(table.weights.begin(), table.weights.end(), [&](const auto& weight) {
           return weight.target == table.weights[0].target;
         });
}

// The label of the largest score, and the scores.
std::vector<ExprPtr> TreeClassifier(const OnnxNodeView& view) {
  const std::vector<int64_t> labels = view.Ints("classlabels_int64s", {});
  if (labels.size() < 2)
    RefuseNode(
        "classlabels_int64s must name two labels or more; labels of text are not "
        "supported; train it on numbers, and keep their names outside");
  const auto classes = static_cast<int64_t>(labels.size());
  const TreeTable table = ReadNamedTrees(view, "class", classes);
  if (HasOneColumn(table)) return OneWeightColumn(view, table, labels).Outputs();
  const ExprPtr scores = WithBase(view, TreeScores(view, FeatureMatrix(view), table, TreeAggregate::kSum), classes);
  const ExprPtr best = view.Call("argmax", {scores}, {{"axis", int64_t{1}}});
  const ExprPtr names = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {classes}, labels));
  return {view.Call("take", {names, best}, {{"axis", int64_t{0}}}),
          PostTransform(view, scores, view.String("post_transform", "NONE"))};
}

std::vector<ExprPtr> TreeEnsemble(const OnnxNodeView& view) {
  constexpr std::array kTransforms{"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  const int64_t aggregate = view.Int("aggregate_function", 1), transform = view.Int("post_transform", 0);
  if (aggregate < 0 || aggregate > 3) RefuseNode(fmt::format("aggregate_function is {}, it may be 0 to 3", aggregate));
  if (transform < 0 || transform > 4) RefuseNode(fmt::format("post_transform is {}, it may be 0 to 4", transform));
  const TreeTable table = ReadLinkedTrees(view);
  const ExprPtr scores = TreeScores(view, FeatureMatrix(view), table, static_cast<TreeAggregate>(aggregate));
  return {PostTransform(view, scores, Nth(kTransforms, transform))};
}

std::vector<std::string_view> NamedLists(const std::vector<std::string_view>& more) {
  std::vector<std::string_view> names{"base_values",
                                      "base_values_as_tensor",
                                      "nodes_falsenodeids",
                                      "nodes_featureids",
                                      "nodes_hitrates",
                                      "nodes_hitrates_as_tensor",
                                      "nodes_missing_value_tracks_true",
                                      "nodes_modes",
                                      "nodes_nodeids",
                                      "nodes_treeids",
                                      "nodes_truenodeids",
                                      "nodes_values",
                                      "nodes_values_as_tensor",
                                      "post_transform"};
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

}  // namespace

OnnxOperatorTable TreeOperators() {
  return {
      {"TreeEnsembleClassifier",
       1,
       1,
       TreeClassifier,
       NamedLists({"class_ids", "class_nodeids", "class_treeids", "class_weights", "class_weights_as_tensor",
                   "classlabels_int64s", "classlabels_strings"}),
       {.becomes = "abs add argmax concatenate divide exp greater less log max multiply negative nn.softmax reshape "
                   "sigmoid sqrt subtract sum take tree_ensemble where",
        .takes_counts = true},
       kClassical},
      {"TreeEnsembleRegressor",
       1,
       1,
       TreeRegressor,
       NamedLists({"aggregate_function", "n_targets", "target_ids", "target_nodeids", "target_treeids",
                   "target_weights", "target_weights_as_tensor"}),
       {.becomes = "abs add divide equal nn.softmax sigmoid tree_ensemble where", .takes_counts = true},
       kClassical},
      {"TreeEnsemble",
       1,
       1,
       TreeEnsemble,
       {"aggregate_function", "leaf_targetids", "leaf_weights", "membership_values", "n_targets", "nodes_falseleafs",
        "nodes_falsenodeids", "nodes_featureids", "nodes_hitrates", "nodes_missing_value_tracks_true", "nodes_modes",
        "nodes_splits", "nodes_trueleafs", "nodes_truenodeids", "post_transform", "tree_roots"},
       {.becomes = "tree_ensemble", .takes_counts = true},
       kClassical}};
}

}  // namespace hone
