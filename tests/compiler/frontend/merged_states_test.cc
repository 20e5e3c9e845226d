// States of models in which an If chooses between the first step and later ones, as optimum merges decoders.
#include <gmock/gmock.h>

#include "compiler/relay/state_values.h"
#include "tests/compiler/frontend/ranged_models.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;

constexpr int kBool = 9;

// Gives the other model's graph to the last node.
void GiveBranch(ModelMaker& model, const std::string& name, ModelMaker& branch) {
  auto& attribute = *model.graph().mutable_node(model.graph().node_size() - 1)->add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  *attribute.mutable_g() = branch.graph();
}

// A later step appends x to two growing caches and leaves the third, without elements, to the caller. The first step
// begins all of them anew.
ModelMaker Merged() {
  ModelMaker model(17);
  model.Input("x", {1, -1}).Input("past_0", {1, -1}).Input("past_1", {1, -1}).Input("past_2", {1, 2});
  model.IntegerInput("use_cache_branch", kBool, {1});
  Name(model, 0, 1, "seq");
  Name(model, 1, 1, "past");
  Name(model, 2, 1, "past");
  ModelMaker later(17), first(17);
  later.Node("Concat", {"past_0", "x"}, {"l0"}, {{"axis", int64_t{1}}});
  later.Node("Concat", {"past_1", "x"}, {"l1"}, {{"axis", int64_t{1}}});
  later.Node("Constant", {}, {"l2"});
  auto& empty = *later.graph().mutable_node(2)->add_attribute();
  empty.set_name("value");
  empty.set_type(onnx::AttributeProto::TENSOR);
  empty.mutable_t()->set_data_type(1);
  for (const int64_t dim : {0, 1}) empty.mutable_t()->add_dims(dim);
  first.Node("Identity", {"x"}, {"f0"}).Node("Neg", {"x"}, {"f1"}).Weight("two", {1, 2}, {7, 8});
  first.Node("Identity", {"two"}, {"f2"});
  for (const char* name : {"l0", "l1", "l2"}) later.Output(name);
  for (const char* name : {"f0", "f1", "f2"}) first.Output(name);
  model.Node("If", {"use_cache_branch"}, {"present_0", "present_1", "present_2"});
  GiveBranch(model, "then_branch", later);
  GiveBranch(model, "else_branch", first);
  return model.Output("present_0").Output("present_1").Output("present_2");
}

const OnnxImportOptions kAuto{.ranges = {{"seq", {1, 3}}, {"past", {0, 6}}}, .states = {"auto"}};

TEST(OnnxMergedStates, KeepEachCacheWithItsOutput) {
  const relay::IRModule module = relay::InferType(ImportOnnxBytes(Merged().Bytes(), "m", kAuto).module);
  std::vector<std::pair<std::string, std::string>> pairs;
  const auto states = relay::StateValues(*module.main, [&] {
    std::vector<relay::TypePtr> types;
    for (const auto& field : relay::AsTuple(module.main->body)->fields) types.push_back(field->type);
    return types;
  }());
  for (const relay::StateValue& state : states) {
    pairs.emplace_back(module.main->params.at(static_cast<size_t>(state.input))->name,
                       module.output_names.at(static_cast<size_t>(state.output)));
  }
  EXPECT_THAT(pairs, ElementsAre(std::pair("past_0", "present_0"), std::pair("past_1", "present_1"),
                                 std::pair("past_2", "present_2")));
}

TEST(OnnxMergedStates, KeepWhatALaterStepLeavesToTheCaller) {
  const Tensor x = Tensor::FromVector<float>(DType::kFloat32, {1, 2}, {4, 5});
  const Tensor past = Tensor::FromVector<float>(DType::kFloat32, {1, 3}, {1, 2, 3});
  const Tensor kept = Tensor::FromVector<float>(DType::kFloat32, {1, 2}, {-1, -2});
  const auto after = [&](bool later) {
    return RunOnnx(Merged().Bytes(),
                   {{"x", x},
                    {"past_0", past},
                    {"past_1", past},
                    {"past_2", kept},
                    {"use_cache_branch", Typed(DType::kBool, {1}, {later ? 1.0 : 0.0})},
                    {"seq", Typed(DType::kInt64, {}, {2})},
                    {"past", Typed(DType::kInt64, {}, {3})}},
                   kAuto);
  };
  const auto later = after(true), first = after(false);
  EXPECT_THAT(Values(later[2]), ElementsAre(-1, -2));
  EXPECT_THAT(Values(first[2]), ElementsAre(7, 8));
  std::vector<float> joined = Values(later[0]), begun = Values(first[1]);
  joined.resize(5);
  begun.resize(2);
  EXPECT_THAT(joined, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(begun, ElementsAre(-4, -5));
}

}  // namespace
}  // namespace hone
