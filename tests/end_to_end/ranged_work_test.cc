// Recurrent layers over a range of steps: the product of their input ends where a run does.
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

void ExpectEachLength(const std::string& op, int64_t gates) {
  const relay::IRModule module = TwoLayers(op, gates);
  const auto package = Package::FromBytes(Build(module, HostBuild()).package, "layers");
  int products = 0;
  for (const PlanCall& call : package->plan().calls) {
    if (call.op != "nn.dense") continue;
    ++products;
    EXPECT_FALSE(call.boxes.empty()) << op;
  }
  EXPECT_EQ(products, 2) << op;
  for (const int threads : {1, 3}) {
    Session session(package, {.threads = threads});
    for (const int64_t steps : {1, 5, 23, 24, 2}) {
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
  ExpectEachLength("LSTM", 4);
  ExpectEachLength("GRU", 3);
  ExpectEachLength("RNN", 1);
}

}  // namespace
}  // namespace hone
