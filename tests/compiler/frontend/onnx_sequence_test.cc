// Sequences and optional values, which the importer resolves.
#include <gmock/gmock.h>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Gives the other model's graph to the last node as its body.
void SequenceBody(ModelMaker& model, ModelMaker& body) {
  auto& attribute = *model.graph().mutable_node(model.graph().node_size() - 1)->add_attribute();
  attribute.set_name("body");
  attribute.set_type(onnx::AttributeProto::GRAPH);
  *attribute.mutable_g() = body.graph();
}

// Makes the last input a sequence of its type, or an optional value of it.
void MakeSequence(ModelMaker& model) {
  onnx::TypeProto& type = *model.graph().mutable_input(model.graph().input_size() - 1)->mutable_type();
  const onnx::TypeProto element = type;
  *type.mutable_sequence_type()->mutable_elem_type() = element;
}
void MakeOptional(ModelMaker& model) {
  onnx::TypeProto& type = *model.graph().mutable_input(model.graph().input_size() - 1)->mutable_type();
  const onnx::TypeProto element = type;
  *type.mutable_optional_type()->mutable_elem_type() = element;
}

TEST(OnnxSequence, TakesElementsOutAndPutsThemIn) {
  ModelMaker model;
  model.Input("x", {3, 2}).Ints("first", {0}).Ints("last", {-1});
  model.Node("SplitToSequence", {"x"}, {"rows"}, {{"keepdims", int64_t{0}}});
  model.Node("SequenceErase", {"rows", "first"}, {"two"}).Node("SequenceAt", {"two", "last"}, {"row"});
  model.Node("SequenceInsert", {"two", "row", "first"}, {"three"}).Node("SequenceLength", {"three"}, {"length"});
  model.Node("ConcatFromSequence", {"three"}, {"y"}, {{"axis", int64_t{0}}, {"new_axis", int64_t{1}}});
  model.Output("y").Output("length").Output("two");
  const relay::IRModule module = ImportOnnxBytes(model.Bytes(), "test").module;
  EXPECT_THAT(module.output_names, ElementsAre("y", "length", "two.0", "two.1"));
  const std::vector<Tensor> results = RunOnnx(model.Bytes(), {{"x", Counting({3, 2})}});
  EXPECT_THAT(Values(results[0]), ElementsAre(4, 5, 2, 3, 4, 5));
  EXPECT_THAT(Values(results[1]), ElementsAre(3));
  EXPECT_EQ(results[0].shape(), (Shape{3, 2}));
}

TEST(OnnxSequence, SplitsIntoPartsOfGivenLengths) {
  ModelMaker model;
  model.Input("x", {5}).Ints("four", {1, 4});
  model.Integers("two", 6, {}, {2}).Node("SplitToSequence", {"x", "two"}, {"a"});
  model.Node("SplitToSequence", {"x", "four"}, {"b"}).Node("ConcatFromSequence", {"b"}, {"c"}, {{"axis", int64_t{0}}});
  model.Output("a").Output("c");
  const std::vector<Tensor> results = RunOnnx(model.Bytes(), {{"x", Counting({5})}});
  ASSERT_EQ(results.size(), 4);
  EXPECT_THAT(Values(results[2]), ElementsAre(4));
  EXPECT_THAT(Values(results[3]), ElementsAre(0, 1, 2, 3, 4));
}

TEST(OnnxSequence, MapsAGraphOverElements) {
  ModelMaker model(17);
  model.Input("x", {2});
  MakeSequence(model);
  model.Input("z", {1}).Node("SequenceMap", {"x", "z"}, {"y"}).Output("y");
  ModelMaker body;
  body.Input("e", {2}).Input("z", {1}).Node("Add", {"e", "z"}, {"s"}).Output("s");
  SequenceBody(model, body);
  const OnnxImportOptions two{.shapes = {{"x.0", {2}}, {"x.1", {3}}}};
  const auto results = RunOnnx(
      model.Bytes(), {{"x.0", Counting({2})}, {"x.1", Counting({3})}, {"z", Typed(DType::kFloat32, {1}, {10})}}, two);
  ASSERT_EQ(results.size(), 2);
  EXPECT_THAT(Values(results[0]), ElementsAre(10, 11));
  EXPECT_THAT(Values(results[1]), ElementsAre(10, 11, 12));
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("the output \"y\" is a sequence without elements"));
  EXPECT_THAT(ImportError(model.Bytes(), {.shapes = {{"x", {2}}}}, ExitCode::kUsage), HasSubstr("as --shape x.0=..."));
}

TEST(OnnxSequence, GrowsInALoop) {
  ModelMaker model;
  model.Input("x", {2}).Ints("turns", {3}).Integers("yes", 9, {}, {1});
  model.Node("SequenceEmpty", {}, {"none"}).Node("Loop", {"turns", "yes", "none"}, {"all"});
  ModelMaker body;
  body.Input("i", {}).Input("go", {}).Input("s", {});
  body.Node("Cast", {"i"}, {"f"}, {{"to", int64_t{1}}}).Node("Mul", {"x", "f"}, {"m"});
  body.Node("SequenceInsert", {"s", "m"}, {"t"}).Node("Identity", {"go"}, {"on"}).Output("on").Output("t");
  SequenceBody(model, body);
  model.Node("ConcatFromSequence", {"all"}, {"y"}, {{"axis", int64_t{0}}}).Output("y");
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Counting({2})}})[0]), ElementsAre(0, 0, 0, 1, 0, 2));
}

TEST(OnnxOptional, IsPresentWhereAShapeIsGiven) {
  ModelMaker model(18);
  model.Input("x", {2});
  MakeOptional(model);
  model.Node("OptionalHasElement", {"x"}, {"has"}).Output("has");
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {})[0]), ElementsAre(0));
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Counting({2})}}, {.shapes = {{"x", {2}}}})[0]), ElementsAre(1));
  model.Node("OptionalGetElement", {"x"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("node \"y\" (OptionalGetElement): its optional value is absent"));
}

TEST(OnnxSequence, IsNoTensor) {
  ModelMaker model;
  model.Input("x", {3, 2}).Node("SplitToSequence", {"x"}, {"rows"}).Node("Neg", {"rows"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("input 0 is a sequence; SequenceAt or ConcatFromSequence"));
  ModelMaker beyond;
  beyond.Input("x", {2}).Ints("four", {4}).Node("SequenceConstruct", {"x"}, {"s"});
  beyond.Node("SequenceAt", {"s", "four"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(beyond.Bytes()), HasSubstr("position 4 of a sequence of 1"));
}

}  // namespace
}  // namespace hone
