// Operators on as many rows as a run has: tables of classical models, quantised and bitwise operators, random numbers.
#include <gmock/gmock.h>

#include "tests/compiler/frontend/ranged_models.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using Ints = std::vector<int64_t>;

// Adds a list of floats to the last node.
void AddFloats(ModelMaker& model, const std::string& name, const std::vector<float>& values) {
  auto& attribute = *model.graph().mutable_node(model.graph().node_size() - 1)->add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOATS);
  for (const float value : values) attribute.add_floats(value);
}

ModelMaker Rows(int64_t columns) {
  ModelMaker model(17);
  model.Input("x", {-1, columns});
  Name(model, 0, 0, "rows");
  return model;
}

void CompareRows(const ModelMaker& model) {
  ExpectEqualToFixed(model.Bytes(), {{"rows", {1, 7}}}, {{{"rows", 1}}, {{"rows", 4}}, {{"rows", 7}}});
}

TEST(OnnxRangedOperators, ScalesAndClassifiesRows) {
  ModelMaker model = Rows(2);
  model.Node("Scaler", {"x"}, {"s"}).Domain("ai.onnx.ml");
  AddFloats(model, "offset", {0.25F});
  AddFloats(model, "scale", {2, 3});
  model.Node("Normalizer", {"s"}, {"n"}, {{"norm", "L2"}}).Domain("ai.onnx.ml");
  model.Node("LinearClassifier", {"n"}, {"label", "y"}, {{"classlabels_ints", Ints{4, 5}}}).Domain("ai.onnx.ml");
  AddFloats(model, "coefficients", {1, -1, -2, 2});
  AddFloats(model, "intercepts", {0.5F, -0.5F});
  CompareRows(model.Output("label").Output("y"));
}

TEST(OnnxRangedOperators, FindsLikelyClassesOfRows) {
  ModelMaker model = Rows(2);
  model.Node("SVMClassifier", {"x"}, {"label", "y"},
             {{"classlabels_ints", Ints{7, 8, 9}}, {"vectors_per_class", Ints{1, 1, 1}}, {"kernel_type", "RBF"}});
  model.Domain("ai.onnx.ml");
  AddFloats(model, "coefficients", {1, -1, 2, 3, 1, -1});
  AddFloats(model, "support_vectors", {1, 0, 0, 1, 1, 1});
  AddFloats(model, "kernel_params", {0.5F, 1, 2});
  AddFloats(model, "rho", {0, 0, 0.5F});
  AddFloats(model, "prob_a", {-1, -0.5F, -2});
  AddFloats(model, "prob_b", {0, 0.25F, 0.5F});
  CompareRows(model.Output("label").Output("y"));
}

TEST(OnnxRangedOperators, TakesRowsDownTrees) {
  ModelMaker model = Rows(2);
  model.Node("TreeEnsembleRegressor", {"x"}, {"y"},
             {{"n_targets", int64_t{1}},
              {"nodes_treeids", Ints{0, 0, 0}},
              {"nodes_nodeids", Ints{0, 1, 2}},
              {"nodes_featureids", Ints{1, 0, 0}},
              {"nodes_truenodeids", Ints{1, 0, 0}},
              {"nodes_falsenodeids", Ints{2, 0, 0}},
              {"target_treeids", Ints{0, 0}},
              {"target_nodeids", Ints{1, 2}},
              {"target_ids", Ints{0, 0}}});
  model.Domain("ai.onnx.ml");
  AddFloats(model, "nodes_values", {0.1F, 0, 0});
  AddFloats(model, "target_weights", {3, -4});
  auto& modes = *model.graph().mutable_node(0)->add_attribute();
  modes.set_name("nodes_modes");
  modes.set_type(onnx::AttributeProto::STRINGS);
  for (const char* mode : {"BRANCH_LEQ", "LEAF", "LEAF"}) modes.add_strings(mode);
  CompareRows(model.Output("y"));
}

TEST(OnnxRangedOperators, ComputesWithBytesOfRows) {
  ModelMaker model(17);
  constexpr int kUInt8 = 2, kInt8 = 3;
  model.IntegerInput("x", kUInt8, {-1, 8}).Weight("step", {}, {0.5F}).Integers("zero", kUInt8, {}, {3});
  Name(model, 0, 0, "rows");
  std::vector<int> weights;
  for (int i = 0; i < 32; ++i) weights.push_back(i * 7 % 11 - 5);
  model.Integers("w", kInt8, {8, 4}, weights).Integers("none", kInt8, {}, {0});
  model.Node("QLinearMatMul", {"x", "step", "zero", "w", "step", "none", "step", "zero"}, {"product"});
  model.Node("QLinearAdd", {"product", "step", "zero", "product", "step", "zero", "step", "zero"}, {"sum"});
  model.Domain("com.microsoft").Node("QLinearSigmoid", {"sum", "step", "zero", "step", "zero"}, {"y"});
  model.Domain("com.microsoft");
  CompareRows(model.Output("y").Output("sum"));
}

TEST(OnnxRangedOperators, MovesBitsOfRows) {
  constexpr int kUInt8 = 2;
  ModelMaker model(18);
  model.IntegerInput("x", kUInt8, {-1, 3}).Integers("mask", kUInt8, {}, {5});
  Name(model, 0, 0, "rows");
  model.Node("BitwiseXor", {"x", "mask"}, {"a"})
      .Node("BitwiseNot", {"a"}, {"b"})
      .Node("BitwiseOr", {"b", "mask"}, {"c"});
  CompareRows(model.Node("BitwiseAnd", {"c", "x"}, {"y"}).Output("y"));
}

TEST(OnnxRangedOperators, FollowsPositionsOfRows) {
  ModelMaker model = Rows(3);
  model.Node("EyeLike", {"x"}, {"eye"}, {{"k", int64_t{-1}}}).Node("Shrink", {"x"}, {"s"}, {{"lambd", 0.2}});
  CompareRows(model.Output("eye").Output("s"));
}

// Each element has the number of its place within the bound, so that runs of any extent agree where they overlap.
TEST(OnnxRangedOperators, DrawsNumbersForRows) {
  ModelMaker model = Rows(3);
  model.Node("RandomNormalLike", {"x"}, {"n"}, {{"mean", 2.0}, {"scale", 0.0}}).Node("Add", {"x", "n"}, {"y"});
  CompareRows(model.Output("y"));
  ModelMaker drawn = Rows(3);
  drawn.Node("RandomUniformLike", {"x"}, {"y"}, {{"low", 1.0}, {"high", 2.0}}).Output("y");
  const Tensor y = RunOnnx(drawn.Bytes(), {{"x", Counting({4, 3})}, {"rows", Typed(DType::kInt64, {}, {4})}},
                           {.ranges = {{"rows", {1, 7}}}})[0];
  for (int64_t i = 0; i < 4 * 3; ++i) EXPECT_THAT(y.At(i), testing::AllOf(testing::Ge(1), testing::Lt(2)));
}

}  // namespace
}  // namespace hone
