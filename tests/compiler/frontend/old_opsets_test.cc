// Differences of nodes in opsets 1 to 9.
#include <gmock/gmock.h>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ints = std::vector<int64_t>;
using Attributes = std::vector<std::pair<std::string, TestAttribute>>;

Tensor Computed(const ModelMaker& model, const Shape& shape) {
  return RunOnnx(model.Bytes(), {{"x", Counting(shape)}})[0];
}

ModelMaker OneOperator(int64_t opset, const std::string& op, const Ints& shape, const Attributes& attributes) {
  ModelMaker model(opset, 3);
  model.Input("x", shape).Node(op, {"x"}, {"y"}, attributes).Output("y");
  return model;
}

std::vector<float> Of(int64_t opset, const std::string& op, const Ints& shape, const Attributes& attributes) {
  return Values(Computed(OneOperator(opset, op, shape, attributes), shape));
}

ModelMaker Added(const Ints& second, const Attributes& attributes) {
  ModelMaker model(6, 3);
  model.Input("x", {2, 3})
      .Weight("b", second, second == Ints{2} ? std::vector<float>{10, 20} : std::vector<float>{1, 2, 3});
  model.Node("Add", {"x", "b"}, {"y"}, attributes).Output("y");
  return model;
}

TEST(OldOpsets, BroadcastAlongAnAxisOrTheLast) {
  EXPECT_THAT(Values(Computed(Added({2}, {{"broadcast", int64_t{1}}, {"axis", int64_t{0}}}), {2, 3})),
              ElementsAre(10, 11, 12, 23, 24, 25));
  EXPECT_THAT(Values(Computed(Added({3}, {{"broadcast", int64_t{1}}}), {2, 3})), ElementsAre(1, 3, 5, 4, 6, 8));
  EXPECT_THAT(ImportError(Added({2}, {{"broadcast", int64_t{1}}, {"axis", int64_t{5}}}).Bytes()),
              HasSubstr("node \"y\" (Add): axis 5 is outside"));
  ModelMaker present = Added({3}, {{"broadcast", int64_t{1}}});
  present.proto().mutable_opset_import(0)->set_version(7);
  EXPECT_THAT(ImportError(present.Bytes()), HasSubstr("\"broadcast\" is not known"));
}

TEST(OldOpsets, HaveAttributesForWhatInputsAreNow) {
  EXPECT_EQ(Computed(OneOperator(1, "Reshape", {2, 3}, {{"shape", Ints{3, -1}}}), {2, 3}).shape(), (Shape{3, 2}));
  EXPECT_EQ(Computed(OneOperator(1, "Reshape", {2, 3}, {{"shape", Ints{0, -1}}, {"consumed_inputs", Ints{0}}}), {2, 3})
                .shape(),
            (Shape{2, 3}));
  EXPECT_THAT(Of(1, "Pad", {2}, {{"paddings", Ints{1, 0}}, {"value", 7.0}}), ElementsAre(7, 0, 1));
  EXPECT_THAT(Of(6, "Clip", {4}, {{"min", 1.0}, {"max", 2.0}}), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(Of(9, "TopK", {4}, {{"k", int64_t{2}}}), ElementsAre(3, 2));
  EXPECT_THAT(Of(1, "Cast", {2}, {{"to", "INT32"}}), ElementsAre(0, 1));
  EXPECT_THAT(Of(1, "Upsample", {1, 1, 1, 2}, {{"height_scale", 1.0}, {"width_scale", 2.0}}), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(Of(1, "GlobalLpPool", {1, 1, 2}, {{"p", 1.0}}), ElementsAre(1));
}

TEST(OldOpsets, TileAlongOneAxisAndJoinAlongTheSecond) {
  ModelMaker tiled(1, 3);
  tiled.Input("x", {1, 2}).Filled("n", {}, 2).Filled("axis", {}, 1).Node("Tile", {"x", "n", "axis"}, {"y"}).Output("y");
  EXPECT_THAT(Values(Computed(tiled, {1, 2})), ElementsAre(0, 1, 0, 1));
  ModelMaker joined(1, 3);
  joined.Input("x", {2, 1}).Node("Concat", {"x", "x"}, {"y"}).Output("y");
  EXPECT_THAT(Values(Computed(joined, {2, 1})), ElementsAre(0, 0, 1, 1));
}

TEST(OldOpsets, KnowTrainingByItsResults) {
  EXPECT_THAT(Of(6, "Dropout", {2}, {{"ratio", 0.5}}), ElementsAre(0, 1));
  ModelMaker model(6, 3);
  model.Input("x", {2}).Node("Dropout", {"x"}, {"y", "mask"}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("is_test is not set"));
  auto& attribute = *model.graph().mutable_node(0)->add_attribute();
  attribute.set_name("is_test");
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(1);
  EXPECT_THAT(Values(Computed(model, {2})), ElementsAre(0, 1));
}

TEST(OldOpsets, HaveASlopePerChannel) {
  ModelMaker model(6, 3);
  model.Input("x", {1, 2, 2})
      .Weight("s", {2}, {2, 3})
      .Node("Neg", {"x"}, {"n"})
      .Node("PRelu", {"n", "s"}, {"y"})
      .Output("y");
  EXPECT_THAT(Values(Computed(model, {1, 2, 2})), ElementsAre(0, -2, -6, -9));
}

TEST(OldOpsets, RefuseWhatTheyCannotMean) {
  EXPECT_THAT(ImportError(OneOperator(1, "Cast", {2}, {{"to", "FLOAT8"}}).Bytes()), HasSubstr("the type \"FLOAT8\""));
  EXPECT_THAT(ImportError(OneOperator(1, "GlobalLpPool", {1, 1, 2}, {{"p", 1.5}}).Bytes()), HasSubstr("p is 1.5"));
  EXPECT_THAT(ImportError(OneOperator(0, "Relu", {2}, {}).Bytes()), HasSubstr("opset 0; hone reads 1 to 28"));
}

}  // namespace
}  // namespace hone
