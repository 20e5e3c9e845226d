// Tree ensembles of the domain ai.onnx.ml, worked out by hand, and the errors of broken ones.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A node on a float32 input x whose attributes are lists.
class TreeModel {
 public:
  TreeModel(const std::string& op, const std::vector<int64_t>& x, const std::vector<std::string>& outputs = {"y"}) {
    model_.Input("x", x).Node(op, {"x"}, outputs).Domain("ai.onnx.ml");
    for (const std::string& output : outputs) model_.Output(output);
  }

  TreeModel& Ints(const std::string& name, const std::vector<int64_t>& values) {
    auto& attribute = Of(name, onnx::AttributeProto::INTS);
    attribute.mutable_ints()->Assign(values.begin(), values.end());
    return *this;
  }
  TreeModel& Floats(const std::string& name, const std::vector<float>& values) {
    auto& attribute = Of(name, onnx::AttributeProto::FLOATS);
    attribute.mutable_floats()->Assign(values.begin(), values.end());
    return *this;
  }
  TreeModel& Strings(const std::string& name, const std::vector<std::string>& values) {
    auto& attribute = Of(name, onnx::AttributeProto::STRINGS);
    for (const std::string& value : values) attribute.add_strings(value);
    return *this;
  }
  TreeModel& String(const std::string& name, const std::string& value) {
    Of(name, onnx::AttributeProto::STRING).set_s(value);
    return *this;
  }
  TreeModel& Int(const std::string& name, int64_t value) {
    Of(name, onnx::AttributeProto::INT).set_i(value);
    return *this;
  }
  TreeModel& Tensor(const std::string& name, const std::vector<float>& values) {
    auto& tensor = *Of(name, onnx::AttributeProto::TENSOR).mutable_t();
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(static_cast<int64_t>(values.size()));
    tensor.mutable_float_data()->Assign(values.begin(), values.end());
    return *this;
  }
  TreeModel& Bytes(const std::string& name, const std::vector<int>& values) {
    auto& tensor = *Of(name, onnx::AttributeProto::TENSOR).mutable_t();
    tensor.set_data_type(onnx::TensorProto::UINT8);
    tensor.add_dims(static_cast<int64_t>(values.size()));
    tensor.mutable_int32_data()->Assign(values.begin(), values.end());
    return *this;
  }

  std::string Text() const { return model_.Bytes(); }

 private:
  // Replaces an attribute of the same name.
  onnx::AttributeProto& Of(const std::string& name, onnx::AttributeProto::AttributeType type) {
    auto& attributes = *model_.graph().mutable_node(0)->mutable_attribute();
    onnx::AttributeProto* found = nullptr;
    for (auto& attribute : attributes) found = attribute.name() == name ? &attribute : found;
    if (found == nullptr) found = attributes.Add();
    found->Clear();
    found->set_name(name);
    found->set_type(type);
    return *found;
  }

  ModelMaker model_{13, 8};
};

// x0 <= 1 ? leaf 1 : x1 > 0 ? leaf 3 : leaf 4.
TreeModel& WithNodes(TreeModel& model) {
  return model.Ints("nodes_treeids", {0, 0, 0, 0, 0})
      .Ints("nodes_nodeids", {0, 1, 2, 3, 4})
      .Strings("nodes_modes", {"BRANCH_LEQ", "LEAF", "BRANCH_GT", "LEAF", "LEAF"})
      .Ints("nodes_featureids", {0, 0, 1, 0, 0})
      .Floats("nodes_values", {1, 0, 0, 0, 0})
      .Ints("nodes_truenodeids", {1, 0, 3, 0, 0})
      .Ints("nodes_falsenodeids", {2, 0, 4, 0, 0});
}

TreeModel& WithWeights(TreeModel& model, const std::string& kind, const std::vector<int64_t>& targets,
                       const std::vector<float>& weights) {
  return model.Ints(kind + "_treeids", {0, 0, 0})
      .Ints(kind + "_nodeids", {1, 3, 4})
      .Ints(kind + "_ids", targets)
      .Floats(kind + "_weights", weights);
}

TreeModel Regressor() {
  TreeModel model("TreeEnsembleRegressor", {3, 2});
  WithWeights(WithNodes(model), "target", {0, 0, 0}, {10, 20, 30});
  return model;
}

TreeModel Classifier(const std::vector<int64_t>& targets, const std::vector<float>& weights,
                     const std::vector<int64_t>& labels) {
  TreeModel model("TreeEnsembleClassifier", {3, 2}, {"label", "scores"});
  WithWeights(WithNodes(model), "class", targets, weights).Ints("classlabels_int64s", labels);
  return model;
}

// Rows that reach the leaves 1, 3 and 4.
Tensor Rows() { return Tensor::FromVector<float>(DType::kFloat32, {3, 2}, {1, 5, 2, 1, 2, 0}); }

std::vector<Tensor> RunIt(const TreeModel& model) { return RunOnnx(model.Text(), {{"x", Rows()}}); }

auto Near(const std::vector<float>& values) { return testing::Pointwise(testing::FloatNear(1e-6F), values); }

float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

TEST(OnnxTrees, RegressorsAddBaseValues) {
  EXPECT_THAT(Values(RunIt(Regressor())[0]), ElementsAre(10, 20, 30));
  EXPECT_THAT(Values(RunIt(Regressor().Floats("base_values", {0.5F}))[0]), ElementsAre(10.5F, 20.5F, 30.5F));
  EXPECT_THAT(ImportError(Regressor().Floats("base_values", {1, 2}).Text()),
              HasSubstr("base_values holds 2 numbers for 1 targets"));
}

TEST(OnnxTrees, AggregatesTreesAsTheyAreTold) {
  const auto several = [](const std::string& how) {
    TreeModel model = Regressor();
    // Two more trees, each a single leaf.
    model.Ints("nodes_treeids", {0, 0, 0, 0, 0, 7, 9})
        .Ints("nodes_nodeids", {0, 1, 2, 3, 4, 0, 0})
        .Strings("nodes_modes", {"BRANCH_LEQ", "LEAF", "BRANCH_GT", "LEAF", "LEAF", "LEAF", "LEAF"})
        .Ints("nodes_featureids", {0, 0, 1, 0, 0, 0, 0})
        .Floats("nodes_values", {1, 0, 0, 0, 0, 0, 0})
        .Ints("nodes_truenodeids", {1, 0, 3, 0, 0, 0, 0})
        .Ints("nodes_falsenodeids", {2, 0, 4, 0, 0, 0, 0})
        .Ints("target_treeids", {0, 0, 0, 7, 9})
        .Ints("target_nodeids", {1, 3, 4, 0, 0})
        .Ints("target_ids", {0, 0, 0, 0, 0})
        .Floats("target_weights", {10, 20, 30, 15, 26})
        .String("aggregate_function", how);
    return Values(RunIt(model)[0]);
  };
  EXPECT_THAT(several("SUM"), ElementsAre(51, 61, 71));
  EXPECT_THAT(several("AVERAGE"), Near({17, 61.0F / 3, 71.0F / 3}));
  EXPECT_THAT(several("MIN"), ElementsAre(10, 15, 15));
  EXPECT_THAT(several("MAX"), ElementsAre(26, 26, 30));
}

TEST(OnnxTrees, ATargetWithoutAWeightIsZero) {
  TreeModel model = Regressor();
  model.Int("n_targets", 2).Ints("target_ids", {0, 1, 0}).String("aggregate_function", "MIN");
  EXPECT_THAT(Values(RunIt(model)[0]), ElementsAre(10, 0, 0, 20, 30, 0));
}

// docs/reference/onnx.md names these differences: ONNX Runtime 1.32 gives 0, the score itself, and the labels 70, 80
// and 90.
TEST(OnnxTrees, DiffersFromOnnxRuntimeWhereThePageSaysSo) {
  TreeModel targets = Regressor();
  targets.Int("n_targets", 2).Ints("target_ids", {0, 1, 0}).Floats("base_values", {100, 200});
  EXPECT_THAT(Values(RunIt(targets)[0]), ElementsAre(110, 200, 100, 220, 130, 200));
  TreeModel one = Regressor();
  one.String("post_transform", "SOFTMAX");
  EXPECT_THAT(Values(RunIt(one)[0]), ElementsAre(1, 1, 1));
  TreeModel odds = Regressor();
  odds.Floats("target_weights", {-1, 0, 2}).String("post_transform", "LOGISTIC");
  EXPECT_THAT(Values(RunIt(odds)[0]), Near({Sigmoid(-1), 0.5F, Sigmoid(2)}));
  EXPECT_THAT(Values(RunIt(Classifier({0, 1, 2}, {-3, -4, -5}, {70, 80, 90}))[0]), ElementsAre(80, 70, 70));
}

TEST(OnnxTrees, MissingValuesGoWhereTheyAreTold) {
  const float nan = std::nanf("");
  const auto run = [&](const TreeModel& model) {
    const Tensor x = Tensor::FromVector<float>(DType::kFloat32, {3, 2}, {nan, 5, nan, 0, 2, nan});
    return Values(RunOnnx(model.Text(), {{"x", x}})[0]);
  };
  EXPECT_THAT(run(Regressor()), ElementsAre(20, 30, 30));
  EXPECT_THAT(run(Regressor().Ints("nodes_missing_value_tracks_true", {1, 0, 0, 0, 0})), ElementsAre(10, 10, 30));
  EXPECT_THAT(run(Regressor().Ints("nodes_missing_value_tracks_true", {0, 0, 1, 0, 0})), ElementsAre(20, 30, 20));
}

TEST(OnnxTrees, ClassifiersNameTheLargestScore) {
  const auto results = RunIt(Classifier({2, 0, 1}, {3, 4, 5}, {70, 80, 90}));
  EXPECT_EQ(results[0].dtype(), DType::kInt64);
  EXPECT_THAT(Values(results[0]), ElementsAre(90, 70, 80));
  EXPECT_THAT(Values(results[1]), ElementsAre(0, 0, 3, 4, 0, 0, 0, 5, 0));
  TreeModel based = Classifier({2, 0, 1}, {3, 4, 5}, {70, 80, 90});
  based.Floats("base_values", {0, 9, 0});
  EXPECT_THAT(Values(RunIt(based)[0]), ElementsAre(80, 80, 80));
}

// The results of ONNX Runtime 1.32.
TEST(OnnxTrees, OneWeightColumnOfTwoClasses) {
  const auto positive = RunIt(Classifier({0, 0, 0}, {0.25F, 0.5F, 0.75F}, {5, 3}));
  EXPECT_THAT(Values(positive[0]), ElementsAre(5, 5, 3));
  EXPECT_THAT(Values(positive[1]), ElementsAre(0.75F, 0.25F, 0.5F, 0.5F, 0.25F, 0.75F));
  const auto margin = RunIt(Classifier({0, 0, 0}, {-1, 0.25F, 2}, {5, 3}));
  EXPECT_THAT(Values(margin[0]), ElementsAre(5, 3, 3));
  EXPECT_THAT(Values(margin[1]), ElementsAre(1, -1, -0.25F, 0.25F, -2, 2));
  TreeModel logistic = Classifier({0, 0, 0}, {-1, 0.25F, 2}, {5, 3});
  logistic.String("post_transform", "LOGISTIC").Floats("base_values", {-0.5F});
  const auto odds = RunIt(logistic);
  EXPECT_THAT(Values(odds[0]), ElementsAre(5, 5, 3));
  EXPECT_THAT(Values(odds[1]),
              Near({Sigmoid(1.5F), Sigmoid(-1.5F), Sigmoid(0.25F), Sigmoid(-0.25F), Sigmoid(-1.5F), Sigmoid(1.5F)}));
}

TEST(OnnxTrees, TransformsScores) {
  const auto transformed = [](const std::string& how) {
    TreeModel model = Classifier({2, 0, 1}, {0.3F, 0.4F, 0.5F}, {7, 8, 9});
    return Values(RunIt(model.String("post_transform", how))[1]);
  };
  const float power = std::exp(0.3F), logistic = Sigmoid(0.3F);
  const std::vector<float> softmax = transformed("SOFTMAX"), zero = transformed("SOFTMAX_ZERO");
  EXPECT_NEAR(softmax[2], power / (2 + power), 1e-6);
  EXPECT_THAT(std::vector<float>(zero.begin(), zero.begin() + 3), ElementsAre(0, 0, 1));
  EXPECT_NEAR(transformed("LOGISTIC")[2], logistic, 1e-6);
  EXPECT_NEAR(transformed("PROBIT")[2], -0.5244F, 0.006);
  EXPECT_THAT(ImportError(Classifier({2, 0, 1}, {1, 1, 1}, {7, 8, 9}).String("post_transform", "CUBE").Text()),
              HasSubstr("post_transform is \"CUBE\""));
}

// x0 in {1, 3} ? leaf 0 : x1 >= 0 ? leaf 1 : leaf 2.
TreeModel Linked() {
  TreeModel model("TreeEnsemble", {3, 2});
  return model.Ints("tree_roots", {0})
      .Tensor("nodes_splits", {0, 0})
      .Ints("nodes_featureids", {0, 1})
      .Bytes("nodes_modes", {6, 2})
      .Ints("nodes_truenodeids", {0, 1})
      .Ints("nodes_falsenodeids", {1, 2})
      .Ints("nodes_trueleafs", {1, 1})
      .Ints("nodes_falseleafs", {0, 1})
      .Ints("leaf_targetids", {0, 1, 1})
      .Tensor("leaf_weights", {10, 20, 30})
      .Tensor("membership_values", {1, 3, std::nanf("")})
      .Int("n_targets", 2);
}

TEST(OnnxTrees, ListsThatPointIntoEachOther) {
  const Tensor x = Tensor::FromVector<float>(DType::kFloat32, {3, 2}, {3, -1, 2, -1, 2, 0});
  EXPECT_THAT(Values(RunOnnx(Linked().Text(), {{"x", x}})[0]), ElementsAre(10, 0, 0, 30, 0, 20));
  EXPECT_THAT(ImportError(Linked().Ints("nodes_falsenodeids", {2, 2}).Text()),
              HasSubstr("node \"y\" (ai.onnx.ml.TreeEnsemble): node 0 has node 2 of 2 for a child"));
  EXPECT_THAT(ImportError(Linked().Tensor("membership_values", {}).Text()), HasSubstr("node 0 has no set"));
  EXPECT_THAT(ImportError(Linked().Ints("tree_roots", {9}).Text()), HasSubstr("root 9 of 2 nodes"));
  EXPECT_THAT(ImportError(Linked().Ints("leaf_targetids", {0, 1, 2}).Text()), HasSubstr("target 2 of 2"));
  EXPECT_THAT(ImportError(Linked().Ints("nodes_featureids", {0, 2}).Text()), HasSubstr("asks for feature 2 of 2"));
}

TEST(OnnxTrees, BrokenListsAreNamed) {
  EXPECT_THAT(ImportError(Regressor().Ints("nodes_featureids", {0, 0}).Text()),
              HasSubstr("node \"y\" (ai.onnx.ml.TreeEnsembleRegressor): nodes_featureids holds 2 numbers for 5 nodes"));
  EXPECT_THAT(ImportError(Regressor().Ints("nodes_truenodeids", {1, 0, 8, 0, 0}).Text()),
              HasSubstr("node 8 of tree 0 is a true child, but not there"));
  EXPECT_THAT(ImportError(Regressor().Ints("nodes_truenodeids", {1, 0, 0, 0, 0}).Text()),
              HasSubstr("node 1 leads back to node 0 above it"));
  EXPECT_THAT(ImportError(Regressor().Ints("nodes_nodeids", {0, 1, 2, 2, 4}).Text()),
              HasSubstr("node 2 of tree 0 is there twice"));
  EXPECT_THAT(ImportError(Regressor().Ints("nodes_treeids", {0, 0, 0, 1, 0}).Text()), HasSubstr("not there"));
  EXPECT_THAT(ImportError(Regressor().Strings("nodes_modes", {"UP", "LEAF", "BRANCH_GT", "LEAF", "LEAF"}).Text()),
              HasSubstr("has the mode \"UP\""));
  EXPECT_THAT(ImportError(Regressor().Ints("target_ids", {0, 0, 1}).Text()), HasSubstr("a weight for target 1 of 1"));
  EXPECT_THAT(ImportError(Classifier({0, 0, 0}, {1, 2, 3}, {1}).Text()), HasSubstr("labels of text"));
}

// A chain of a million nodes, over which nothing recurses.
TEST(OnnxTrees, TreesMayBeDeep) {
  constexpr int64_t kDepth = 1'000'000;
  std::vector<int64_t> next, leaf(kDepth), is_leaf(kDepth, 1), is_not_leaf(kDepth, 0), feature(kDepth);
  for (int64_t i = 0; i < kDepth; ++i) next.push_back(i + 1);
  next.back() = 1;
  is_not_leaf.back() = 1;
  TreeModel model("TreeEnsemble", {1, 1});
  model.Ints("tree_roots", {0})
      .Tensor("nodes_splits", std::vector<float>(kDepth, 1))
      .Ints("nodes_featureids", feature)
      .Bytes("nodes_modes", std::vector<int>(kDepth, 0))
      .Ints("nodes_truenodeids", leaf)
      .Ints("nodes_falsenodeids", next)
      .Ints("nodes_trueleafs", is_leaf)
      .Ints("nodes_falseleafs", is_not_leaf)
      .Ints("leaf_targetids", {0, 0})
      .Tensor("leaf_weights", {3, 4});
  EXPECT_THAT(Values(RunOnnx(model.Text(), {{"x", Tensor::FromVector<float>(DType::kFloat32, {1, 1}, {2})}})[0]),
              ElementsAre(4));
  next.back() = 0;
  is_not_leaf.back() = 0;
  model.Ints("nodes_falsenodeids", next).Ints("nodes_falseleafs", is_not_leaf);
  EXPECT_THAT(ImportError(model.Text()), HasSubstr("node 999999 leads back to node 0"));
}

// One leaf with many weights and many leaves with one would need a table of their product.
TEST(OnnxTrees, LeavesOfUnlikeSizesAreBounded) {
  constexpr int64_t kTrees = 4000;
  TreeModel model("TreeEnsembleRegressor", {1, 1});
  std::vector<int64_t> trees, zeros(kTrees), weight_trees;
  std::vector<std::string> modes(kTrees, "LEAF");
  for (int64_t i = 0; i < kTrees; ++i) trees.push_back(i);
  weight_trees = trees;
  weight_trees.resize(2 * kTrees, 0);
  const std::vector<int64_t> weight_zeros(2 * kTrees);
  model.Ints("nodes_treeids", trees)
      .Ints("nodes_nodeids", zeros)
      .Strings("nodes_modes", modes)
      .Ints("nodes_featureids", zeros)
      .Floats("nodes_values", std::vector<float>(kTrees))
      .Ints("nodes_truenodeids", zeros)
      .Ints("nodes_falsenodeids", zeros)
      .Ints("target_treeids", weight_trees)
      .Ints("target_nodeids", weight_zeros)
      .Ints("target_ids", weight_zeros)
      .Floats("target_weights", std::vector<float>(2 * kTrees, 1));
  EXPECT_THAT(ImportError(model.Text()), HasSubstr("4000 leaves, one of which has 4001 weights of 8000"));
}

}  // namespace
}  // namespace hone
