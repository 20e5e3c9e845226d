// Products that end where a run does: those of a recurrent layer's steps, and those of which the model picks positions.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "core/random.h"
#include "runtime/session.h"
#include "tests/compiler/frontend/model_maker.h"
#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

constexpr int64_t kMostSteps = 24, kStepWidth = 6, kUnits = 5;

std::vector<float> LayerWeights(int64_t count) {
  Random random(static_cast<uint64_t>(count));
  std::vector<float> weights;
  for (int64_t i = 0; i < count; ++i) weights.push_back(static_cast<float>(random.Uniform() - 0.5));
  return weights;
}

// Two layers in a row, each in both directions.
relay::IRModule TwoLayers(const std::string& op, int64_t gates) {
  ModelMaker model(22);
  model.Input("x", {-1, 1, kStepWidth}).Ints("shape", {0, 0, -1});
  int64_t width = kStepWidth;
  std::string x = "x";
  for (const std::string layer : {"a", "b"}) {
    model.Weight("w" + layer, {2, gates * kUnits, width}, LayerWeights(2 * gates * kUnits * width));
    model.Weight("r" + layer, {2, gates * kUnits, kUnits}, LayerWeights(2 * gates * kUnits * kUnits));
    model.Node(op, {x, "w" + layer, "r" + layer}, {"y" + layer},
               {{"hidden_size", kUnits}, {"direction", std::string("bidirectional")}});
    model.Node("Transpose", {"y" + layer}, {"t" + layer}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
    model.Node("Reshape", {"t" + layer, "shape"}, {"s" + layer});
    x = "s" + layer;
    width = 2 * kUnits;
  }
  OnnxImportOptions options;
  options.ranges["d0"] = {1, kMostSteps};
  return relay::InferType(ImportOnnxBytes(model.Output(x).Bytes(), "layers", options).module);
}

Tensor StepsOf(int64_t steps, double scale) {
  Random random(7);
  Tensor tensor(DType::kFloat32, {steps, 1, kStepWidth});
  for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, scale * (random.Uniform() - 0.5));
  return tensor;
}

// Expects so many products, each of which leaves out work, and the reference's results.
void ExpectEachLength(const relay::IRModule& module, int expected, const std::string& op) {
  const auto package = Package::FromBytes(Build(module, HostBuild()).package, "layers");
  int products = 0;
  for (const PlanCall& call : package->plan().calls) {
    if (call.op != "nn.dense") continue;
    ++products;
    EXPECT_FALSE(call.boxes.empty()) << op;
  }
  EXPECT_EQ(products, expected) << op;
  for (const int threads : {1, 3}) {
    Session session(package, {.threads = threads});
    for (const int64_t steps : {5, 23, 24, 2, 3}) {
      // A full run of infinities leaves nothing finite that a shorter run may read.
      session.SetInput("x", StepsOf(kMostSteps, std::numeric_limits<double>::infinity()));
      session.Run();
      const Tensor x = StepsOf(steps, 2);
      session.SetInput("x", x);
      session.Run();
      const Tensor want = RunReference(module, {{"x", x}})[0], got = session.Output(0);
      ASSERT_EQ(got.shape(), want.shape());
      for (int64_t i = 0; i < got.elements(); ++i) ASSERT_NEAR(got.At(i), want.At(i), 2e-6) << op << " " << steps;
    }
  }
}

TEST(RangedRecurrent, EndsProductsOfInputsWithTheRun) {
  ExpectEachLength(TwoLayers("LSTM", 4), 2, "LSTM");
  ExpectEachLength(TwoLayers("GRU", 3), 2, "GRU");
  ExpectEachLength(TwoLayers("RNN", 1), 2, "RNN");
}

// Two dense layers, of whose result the node picks positions of the first axis.
relay::IRModule Picking(const std::string& op, const std::vector<int64_t>& picked) {
  ModelMaker model(22);
  model.Input("x", {-1, 1, kStepWidth}).Ints("picked", picked).Ints("zero", {0}).Ints("two", {2}).Ints("end", {1000});
  model.Weight("w", {kStepWidth, kStepWidth}, LayerWeights(kStepWidth * kStepWidth));
  model.Node("MatMul", {"x", "w"}, {"a"}).Node("Tanh", {"a"}, {"b"}).Node("MatMul", {"b", "w"}, {"c"});
  if (op == "Gather" || op == "GatherND") {
    model.Node(op, {"c", "picked"}, {"y"});
  } else if (op == "Slice") {
    model.Node(op, {"c", "picked", "two", "zero"}, {"y"});
  } else {
    // The position of the greatest first element.
    model.Node("Slice", {"c", "zero", "picked", "two"}, {"column"}).Node("ArgMax", {"column"}, {"at"});
    model.Node("Reshape", {"at", "picked"}, {"place"}).Node("Gather", {"c", "place"}, {"y"});
  }
  OnnxImportOptions options;
  options.ranges["d0"] = {2, kMostSteps};
  return relay::InferType(ImportOnnxBytes(model.Output("y").Bytes(), "picking", options).module);
}

TEST(RangedPicks, EndProductsWithTheRun) {
  ExpectEachLength(Picking("Gather", {0}), 2, "first");
  ExpectEachLength(Picking("Gather", {1, 0, 1}), 2, "several");
  ExpectEachLength(Picking("GatherND", {1}), 2, "a position of several parts");
  ExpectEachLength(Picking("Slice", {0}), 2, "slice");
  ExpectEachLength(Picking("Slice", {1}), 2, "slice behind the first");
  ExpectEachLength(Picking("ArgMax", {1}), 2, "computed");
}

}  // namespace
}  // namespace hone
