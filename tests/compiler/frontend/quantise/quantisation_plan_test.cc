#include "compiler/frontend/quantise/quantisation_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/compiler/frontend/model_maker.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

std::vector<std::string> NodesOf(const std::vector<QuantisableLayer>& layers) {
  std::vector<std::string> names;
  for (const QuantisableLayer& layer : layers) names.push_back(layer.node + ">" + layer.output);
  return names;
}

QuantisationPlan PlanOf(const ModelMaker& maker, const std::set<std::string>& left = {}) {
  const FloatModel model = FloatModel::FromBytes(maker.Bytes(), "test");
  return PlanQuantisation(model, QuantisableLayers(model), left);
}

// Two convolutions with a sum around the second, then pools and a dense layer.
ModelMaker Residual() {
  ModelMaker model;
  model.Input("x", {1, 4, 8, 8}).Filled("w", {4, 4, 1, 1}, 0.5F).Filled("fc", {4, 10}, 0.25F);
  model.Node("Conv", {"x", "w"}, {"a"}).Node("Relu", {"a"}, {"b"}).Node("Conv", {"b", "w"}, {"c"});
  model.Node("Add", {"c", "b"}, {"s"}).Node("Relu", {"s"}, {"r"}).Node("GlobalAveragePool", {"r"}, {"g"});
  model.Node("Flatten", {"g"}, {"f"}).Node("Gemm", {"f", "fc"}, {"l"}).Node("Softmax", {"l"}, {"y"});
  return model.Output("y");
}

TEST(QuantisationPlan, RoundsWhatLayersReadAndMake) {
  const FloatModel model = FloatModel::FromBytes(Residual().Bytes(), "test");
  EXPECT_THAT(NodesOf(QuantisableLayers(model)), ElementsAre("a>b", "c>c", "l>l"));
  const QuantisationPlan plan = PlanOf(Residual());
  EXPECT_THAT(plan.values, UnorderedElementsAre(Pair("x", false), Pair("b", true), Pair("c", true), Pair("r", true),
                                                Pair("g", true), Pair("f", true)));
  EXPECT_THAT(plan.byte_nodes, UnorderedElementsAre("s", "g", "f"));
  EXPECT_THAT(plan.same, ElementsAre(ElementsAre("f", "g")));
}

TEST(QuantisationPlan, LeavesLayersInFloat) {
  EXPECT_THAT(PlanOf(Residual(), {"a", "c", "l"}).values, IsEmpty());
  const QuantisationPlan plan = PlanOf(Residual(), {"l"});
  EXPECT_THAT(plan.values, UnorderedElementsAre(Pair("x", false), Pair("b", true), Pair("c", true)))
      << "a sum that no layer reads stays in float";
}

TEST(QuantisationPlan, LeavesOtherProductsAlone) {
  ModelMaker model;
  model.Input("x", {4, 4}).Input("z", {4, 4}).Filled("w", {4, 4}, 1);
  model.Node("MatMul", {"x", "z"}, {"two_computed"}).Node("MatMul", {"w", "x"}, {"constant_first"});
  model.Node("Gemm", {"x", "w"}, {"scaled"}, {{"alpha", 0.5}}).Node("Gemm", {"x", "w"}, {"turned"}, {{"transA", 1L}});
  model.Node("Gemm", {"x", "w", "z"}, {"computed_bias"});
  for (const char* name : {"two_computed", "constant_first", "scaled", "turned", "computed_bias"}) model.Output(name);
  EXPECT_THAT(QuantisableLayers(FloatModel::FromBytes(model.Bytes(), "test")), IsEmpty());
}

// A value read by two products has one QDQ pair, and movements after a product keep bytes for the layer that reads
// them.
TEST(QuantisationPlan, TakesProductsOfTwoComputedValuesWhereAsked) {
  ModelMaker model;
  model.Input("q", {2, 4, 8}).Input("k", {2, 8, 4}).Filled("w", {8, 3}, 0.5F);
  model.Node("MatMul", {"q", "k"}, {"scores"}).Node("Softmax", {"scores"}, {"p"}).Node("MatMul", {"p", "q"}, {"mixed"});
  model.Node("Identity", {"mixed"}, {"moved"}).Node("MatMul", {"moved", "w"}, {"y"}).Output("y");
  const FloatModel read = FloatModel::FromBytes(model.Bytes(), "test");
  EXPECT_THAT(NodesOf(QuantisableLayers(read)), ElementsAre("y>y"));
  const std::vector<QuantisableLayer> layers = QuantisableLayers(read, true);
  EXPECT_THAT(NodesOf(layers), ElementsAre("scores>scores", "mixed>mixed", "y>y"));
  EXPECT_EQ(layers[1].other, "q");
  const QuantisationPlan plan = PlanQuantisation(read, layers, {});
  EXPECT_THAT(plan.values, UnorderedElementsAre(Pair("q", false), Pair("k", false), Pair("p", false),
                                                Pair("mixed", true), Pair("moved", true)));
}

ModelMaker Concatenated() {
  ModelMaker model;
  model.Input("x", {1, 4, 8, 8}).Filled("w", {4, 4, 1, 1}, 0.5F).Filled("v", {4, 8, 1, 1}, 0.5F);
  model.Node("Conv", {"x", "w"}, {"a"})
      .Node("Conv", {"x", "w"}, {"b"})
      .Node("Concat", {"a", "b"}, {"c"}, {{"axis", 1L}});
  return model.Node("Conv", {"c", "v"}, {"y"}).Output("y");
}

TEST(QuantisationPlan, JoinsTheScalesOfWhatIsConcatenatedWhereRangesAreAlike) {
  const QuantisationPlan plan = PlanOf(Concatenated());
  EXPECT_THAT(plan.joined, ElementsAre(ElementsAre("c", "a", "b")));
  const auto alike = ChooseScales(plan, {{"x", {0, 1}}, {"a", {-1, 1}}, {"b", {0, 4}}, {"c", {-1, 4}}});
  EXPECT_EQ(alike.at("a"), ByteScaleOf({-1, 4}));
  EXPECT_EQ(alike.at("b"), alike.at("a"));
  EXPECT_EQ(alike.at("c"), alike.at("a"));
  const auto apart = ChooseScales(plan, {{"x", {0, 1}}, {"a", {0, 0.1}}, {"b", {0, 4}}, {"c", {0, 4}}});
  EXPECT_EQ(apart.at("a"), ByteScaleOf({0, 0.1})) << "the finer one would keep few of its steps";
  EXPECT_EQ(apart.at("b"), ByteScaleOf({0, 4}));
}

}  // namespace
}  // namespace hone
