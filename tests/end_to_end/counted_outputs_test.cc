// The post-processing of a detector's network, built and run: extents that a run counts, with any number of threads.
#include <gmock/gmock.h>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "core/random.h"
#include "runtime/session.h"
#include "tests/compiler/frontend/model_maker.h"
#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

constexpr int64_t kBoxes = 200;
constexpr int64_t kClasses = 3;

// A head of (1, 4 + classes, boxes): centre and size of each box, then the score of each class.
std::string Detector() {
  ModelMaker model(13);
  model.Input("head", {1, 4 + kClasses, kBoxes}).Ints("zero", {0}).Ints("one", {1}).Ints("four", {4});
  model.Ints("end", {1000}).Ints("most", {150}).Weight("overlap", {1}, {0.4F}).Weight("least", {1}, {0.6F});
  model.Ints("box_part", {0, 2}).Node("Slice", {"head", "zero", "four", "one"}, {"places"});
  model.Node("Transpose", {"places"}, {"boxes"}, {{"perm", std::vector<int64_t>{0, 2, 1}}});
  model.Node("Slice", {"head", "four", "end", "one"}, {"logits"}).Node("Sigmoid", {"logits"}, {"scores"});
  model.Node("NonMaxSuppression", {"boxes", "scores", "most", "overlap", "least"}, {"taken"},
             {{"center_point_box", int64_t{1}}});
  model.Node("GatherND", {"scores", "taken"}, {"score"}).Node("Unsqueeze", {"score", "one"}, {"column"});
  model.Node("Gather", {"taken", "box_part"}, {"which"}, {{"axis", int64_t{1}}});
  model.Node("GatherND", {"boxes", "which"}, {"box"});
  model.Node("Concat", {"box", "column"}, {"found"}, {{"axis", int64_t{1}}});
  return model.Output("found").Output("taken").Bytes();
}

// `shift` decides how many boxes score high enough.
Tensor Head(double shift) {
  Random random(1);
  Tensor head(DType::kFloat32, {1, 4 + kClasses, kBoxes});
  for (int64_t i = 0; i < head.elements(); ++i) {
    const int64_t part = i / kBoxes;
    head.Set(i, part < 2 ? 10 * random.Uniform() : part < 4 ? 1 + 3 * random.Uniform() : 4 * random.Uniform() + shift);
  }
  return head;
}

TEST(CountedOutputs, ADetectorFindsAsManyAsThereAre) {
  const relay::IRModule module = relay::InferType(ImportOnnxBytes(Detector(), "detector", {}).module);
  const auto package = Package::FromBytes(Build(module, HostBuild()).package, "detector");
  std::vector<int64_t> counts;
  for (const int threads : {1, 3}) {
    Session session(package, {.threads = threads});
    for (const double shift : {-20.0, -3.0, 0.0, -20.0}) {
      const Tensor head = Head(shift);
      session.SetInput("head", head);
      session.Run();
      const auto want = RunReference(module, {{"head", head}});
      ASSERT_EQ(want.size(), 2U);
      EXPECT_EQ(Bits(session.Output(1)), Bits(want[1]));
      EXPECT_EQ(session.Output(0).shape(), want[0].shape());
      for (int64_t i = 0; i < want[0].elements(); ++i) EXPECT_NEAR(session.Output(0).At(i), want[0].At(i), 1e-5);
      counts.push_back(session.OutputShape(0)[0]);
    }
  }
  EXPECT_EQ(counts[0], 0);
  EXPECT_GT(counts[1], 0);
  EXPECT_GT(counts[2], counts[1]);
  EXPECT_EQ(counts[3], 0);
}

}  // namespace
}  // namespace hone
