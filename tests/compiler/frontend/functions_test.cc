// Functions that a model defines.
#include <gmock/gmock.h>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Names = std::vector<std::string>;

// Lets the last node of the body take `attribute` from the call.
void Refer(onnx::FunctionProto& function, const std::string& attribute, const std::string& called,
           onnx::AttributeProto::AttributeType type) {
  auto& reference = *function.mutable_node(function.node_size() - 1)->add_attribute();
  reference.set_name(attribute);
  reference.set_ref_attr_name(called);
  reference.set_type(type);
  function.add_attribute(called);
}

onnx::FunctionProto& Function(ModelMaker& model, const std::string& name, const Names& inputs, const Names& outputs,
                              ModelMaker body, int64_t opset = 13) {
  auto& function = *model.proto().add_functions();
  function.set_domain("local");
  function.set_name(name);
  for (const std::string& input : inputs) function.add_input(input);
  for (const std::string& output : outputs) function.add_output(output);
  *function.mutable_node() = body.graph().node();
  function.add_opset_import()->set_version(opset);
  return function;
}

std::vector<float> Computed(const ModelMaker& model) {
  return Values(RunOnnx(model.Bytes(), {{"x", Tensor::FromVector<float>(DType::kFloat32, {2}, {-1, 2})}})[0]);
}

// y = leaky(leaky(x)), with the slope given by each call.
ModelMaker Twice() {
  ModelMaker model, body;
  model.Input("x", {2}).Node("Slope", {"x"}, {"h"}, {{"slope", 0.5}}).Domain("local");
  model.Node("Slope", {"h"}, {"y"}, {{"slope", 0.25}}).Domain("local").Output("y");
  body.Node("Identity", {"a"}, {"same"}).Node("LeakyRelu", {"same"}, {"b"});
  Refer(Function(model, "Slope", {"a"}, {"b"}, body), "alpha", "slope", onnx::AttributeProto::FLOAT);
  return model;
}

TEST(OnnxFunctions, AreWrittenOutWithTheAttributesOfEachCall) {
  EXPECT_THAT(Computed(Twice()), ElementsAre(-0.125F, 2));
}

TEST(OnnxFunctions, UseDefaultsForAttributesThatTheCallOmits) {
  ModelMaker model = Twice();
  model.graph().mutable_node(1)->clear_attribute();
  EXPECT_THAT(Computed(model), ElementsAre(-0.005F, 2));  // LeakyRelu's default slope
  onnx::AttributeProto value;
  value.set_name("slope");
  value.set_type(onnx::AttributeProto::FLOAT);
  value.set_f(0.75F);
  // Field attribute_proto, which is missing in the library's version of the format.
  model.proto().mutable_functions(0)->mutable_unknown_fields()->AddLengthDelimited(11, value.SerializeAsString());
  EXPECT_THAT(Computed(model), ElementsAre(-0.375F, 2));
}

TEST(OnnxFunctions, CallFunctionsAlsoInBranches) {
  ModelMaker model = Twice(), outer, branch;
  branch.Node("Slope", {"p"}, {"t"}, {{"slope", 2.0}}).Domain("local").Output("t");
  outer.Node("If", {"c"}, {"q"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& attribute = *outer.graph().mutable_node(0)->add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    *attribute.mutable_g() = branch.graph();
  }
  model.Integers("yes", onnx::TensorProto::BOOL, {}, {1});
  model.Node("Chosen", {"y", "yes"}, {"z"}).Domain("local");
  model.graph().mutable_output(0)->set_name("z");
  Function(model, "Chosen", {"p", "c"}, {"q"}, outer);
  EXPECT_THAT(Computed(model), ElementsAre(-0.25F, 2));
}

TEST(OnnxFunctions, MayPassAnInputOnAndLeaveOthersOut) {
  ModelMaker model, body;
  model.Input("x", {2}).Node("Pass", {"x"}, {"y", ""}).Domain("local").Output("y");
  body.Node("Clip", {"a", "lo"}, {"b"});
  Function(model, "Pass", {"a", "lo"}, {"a", "b"}, body);
  EXPECT_THAT(Computed(model), ElementsAre(-1, 2));
}

// Until opset 13, Hardmax covered all axes from the given one on.
TEST(OnnxFunctions, HaveTheirOwnOpset) {
  for (const int64_t opset : {11, 13}) {
    ModelMaker model, body;
    model.Input("x", {1, 2}).Node("Hard", {"x"}, {"y"}).Domain("local").Output("y");
    body.Node("Hardmax", {"a"}, {"b"}, {{"axis", int64_t{0}}});
    Function(model, "Hard", {"a"}, {"b"}, body, opset);
    EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Counting({1, 2})}})[0]), ElementsAre(opset == 11 ? 0 : 1, 1));
  }
}

TEST(OnnxFunctions, AreRefusedWhenTheyCallThemselvesOrGrow) {
  ModelMaker round = Twice();
  round.proto().mutable_functions(0)->mutable_node(0)->set_op_type("Slope");
  round.proto().mutable_functions(0)->mutable_node(0)->set_domain("local");
  EXPECT_THAT(ImportError(round.Bytes()), HasSubstr("its function calls itself"));
  ModelMaker grown;
  grown.Input("x", {2}).Node("f20", {"x"}, {"y"}).Domain("local").Output("y");
  for (int i = 0; i <= 20; ++i) {
    ModelMaker body;
    const std::string called = i == 0 ? "Relu" : "f" + std::to_string(i - 1);
    body.Node(called, {"a"}, {"h"})
        .Domain(i == 0 ? "" : "local")
        .Node(called, {"h"}, {"b"})
        .Domain(i == 0 ? "" : "local");
    Function(grown, "f" + std::to_string(i), {"a"}, {"b"}, body);
  }
  EXPECT_THAT(ImportError(grown.Bytes()), HasSubstr("written out"));
}

TEST(OnnxFunctions, AreRefusedForMoreInputsThanTheyHave) {
  ModelMaker model = Twice();
  model.graph().mutable_node(0)->add_input("x");
  EXPECT_EQ(ImportError(model.Bytes()), "node \"h\" (Slope): 2 inputs; its function has 1");
}

TEST(OnnxFunctions, AloneReferToAttributes) {
  ModelMaker model;
  model.Input("x", {2}).Node("LeakyRelu", {"x"}, {"y"}, {{"alpha", 0.5}}).Output("y");
  model.graph().mutable_node(0)->mutable_attribute(0)->set_ref_attr_name("slope");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("refers to a function's"));
}

}  // namespace
}  // namespace hone
