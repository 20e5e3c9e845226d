// Branches and iterations that a run does not take: their calls are left out, and what remains is as the reference has
// it.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "core/nth.h"
#include "core/random.h"
#include "runtime/session.h"
#include "tests/compiler/frontend/model_maker.h"
#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

constexpr int64_t kWidth = 24;

void Body(ModelMaker& model, const std::string& name, ModelMaker& body) {
  auto& attribute = *model.graph().mutable_node(model.graph().node_size() - 1)->add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  *attribute.mutable_g() = body.graph();
}

void AddWeights(ModelMaker& model) {
  Random random(3);
  std::vector<float> weights;
  for (int64_t i = 0; i < kWidth * kWidth; ++i) weights.push_back(static_cast<float>(random.Uniform() - 0.5));
  model.Weight("w", {kWidth, kWidth}, weights);
}

// Two products in one branch, within which another If decides; a reduction of the other.
std::string Nested() {
  ModelMaker deeper, shallower, then, otherwise, model;
  deeper.Node("MatMul", {"h", "w"}, {"a"}).Node("Tanh", {"a"}, {"b"}).Output("b");
  shallower.Node("Neg", {"h"}, {"b"}).Output("b");
  then.Node("MatMul", {"x", "w"}, {"g"}).Node("Relu", {"g"}, {"h"});
  then.Node("ReduceMax", {"h"}, {"top"}, {{"keepdims", int64_t{0}}}).Node("Less", {"top", "least"}, {"low"});
  then.Node("If", {"low"}, {"t"}).Output("t");
  Body(then, "then_branch", deeper);
  Body(then, "else_branch", shallower);
  otherwise.Node("Softmax", {"x"}, {"t"}).Output("t");
  model.Input("x", {4, kWidth}).IntegerInput("c", 9, {}).Weight("least", {}, {1.5F});
  AddWeights(model);
  model.Node("If", {"c"}, {"y"}).Output("y");
  Body(model, "then_branch", then);
  Body(model, "else_branch", otherwise);
  return model.Bytes();
}

// Each iteration multiplies, until the greatest element is below a limit or the run's number is reached.
std::string Iterating() {
  ModelMaker body, model;
  body.IntegerInput("i", 7, {}).IntegerInput("on", 9, {}).Input("h", {4, kWidth});
  body.Node("MatMul", {"h", "w"}, {"p"}).Node("Tanh", {"p"}, {"next"});
  body.Node("ReduceMax", {"next"}, {"top"}, {{"keepdims", int64_t{0}}}).Node("Less", {"least", "top"}, {"goes"});
  body.Output("goes").Output("next").Output("top");
  model.Input("x", {4, kWidth}).IntegerInput("n", 7, {}).Weight("least", {}, {0.05F});
  AddWeights(model);
  model.Node("Loop", {"n", "", "x"}, {"y", "tops"}).Output("y").Output("tops");
  Body(model, "body", body);
  return model.Bytes();
}

Tensor Rows(double scale, uint64_t seed) {
  Random random(seed);
  Tensor rows(DType::kFloat32, {4, kWidth});
  for (int64_t i = 0; i < rows.elements(); ++i) rows.Set(i, scale * (random.Uniform() - 0.5));
  return rows;
}

Tensor Scalar(DType dtype, int64_t value) {
  Tensor scalar(dtype, {});
  scalar.Set(0, static_cast<double>(value));
  return scalar;
}

void ExpectRuns(const std::string& bytes, const std::vector<std::map<std::string, Tensor>>& runs) {
  OnnxImportOptions options;
  options.max_dim = 6;
  const relay::IRModule module = relay::InferType(ImportOnnxBytes(bytes, "branches", options).module);
  const auto package = Package::FromBytes(Build(module, HostBuild()).package, "branches");
  for (const int threads : {1, 3}) {
    Session session(package, {.threads = threads});
    for (const auto& inputs : runs) {
      for (const auto& [name, tensor] : inputs) session.SetInput(name, tensor);
      session.Run();
      const auto want = RunReference(module, inputs);
      for (size_t i = 0; i < want.size(); ++i) {
        const auto got = session.Output(static_cast<int>(i));
        ASSERT_EQ(got.shape(), want[i].shape());
        for (int64_t k = 0; k < got.elements(); ++k) ASSERT_NEAR(got.At(k), want[i].At(k), 1e-5);
      }
    }
  }
}

TEST(Branches, GiveWhatARunTakes) {
  std::vector<std::map<std::string, Tensor>> runs;
  for (const int64_t taken : {0, 1, 0, 1}) {
    for (const double scale : {0.1, 9.0}) {
      runs.push_back({{"x", Rows(scale, runs.size())}, {"c", Scalar(DType::kBool, taken)}});
    }
  }
  ExpectRuns(Nested(), runs);
}

TEST(Branches, GiveAsManyIterationsAsARunTakes) {
  std::vector<std::map<std::string, Tensor>> runs;
  for (const int64_t n : {6, 0, 1, 3, 6}) {
    for (const double scale : {0.01, 2.0}) {
      runs.push_back({{"x", Rows(scale, runs.size())}, {"n", Scalar(DType::kInt64, n)}});
    }
  }
  ExpectRuns(Iterating(), runs);
}

// Every product of a branch has work that its condition leaves out: all of its items.
void ExpectLeftOut(const std::string& bytes, size_t products) {
  OnnxImportOptions options;
  options.max_dim = 6;
  const Plan plan = Build(relay::InferType(ImportOnnxBytes(bytes, "branches", options).module), HostBuild()).plan;
  size_t found = 0;
  for (const PlanCall& call : plan.calls) {
    if (call.op != "nn.dense") continue;
    ++found;
    ASSERT_FALSE(call.boxes.empty());
    int64_t items = 0, whole = 0;
    for (const KernelStage& stage : Nth(plan.kernels, call.kernel).stages) whole += stage.extent;
    for (const ItemBox& box : call.boxes) {
      EXPECT_EQ(box.axes[0].items, 1);
      EXPECT_GE(box.axes[0].extent, 0);
      int64_t of_box = 1;
      for (const ItemAxis& axis : box.axes) of_box *= axis.items;
      items += of_box;
    }
    EXPECT_EQ(items, whole);
  }
  EXPECT_EQ(found, products);
}

TEST(Branches, LeaveOutTheCallsOfOthers) {
  ExpectLeftOut(Nested(), 2);
  ExpectLeftOut(Iterating(), 6);
}

}  // namespace
}  // namespace hone
