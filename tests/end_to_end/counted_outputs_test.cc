// The post-processing of a detector's network, built and run: extents that a run counts, with any number of threads.
#include "compiler/relay/counted_outputs.h"

#include <gmock/gmock.h>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/ranged_inputs.h"
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

// The count is computed behind the kernel that would end by it, so that kernel must not read the last run's.
TEST(CountedOutputs, AnEarlierKernelDoesNotEndByALaterCount) {
  ModelMaker model(13);
  model.Input("x", {64}).Input("v", {1, 256}).Ints("one", {1}).Ints("width", {256});
  model.Node("NonZero", {"x"}, {"places"}).Node("Shape", {"places"}, {"extents"});
  model.Node("Gather", {"extents", "one"}, {"count"})
      .Node("Concat", {"count", "width"}, {"shape"}, {{"axis", int64_t{0}}});
  model.Node("Relu", {"v"}, {"positive"}).Node("Expand", {"positive", "shape"}, {"y"}).Output("y");
  const relay::IRModule module = relay::InferType(ImportOnnxBytes(model.Bytes(), "rows", {}).module);
  Session session(Package::FromBytes(Build(module, HostBuild()).package, "rows"), {.threads = 1});
  Tensor v(DType::kFloat32, {1, 256});
  for (int64_t i = 0; i < 256; ++i) v.Set(i, static_cast<double>(i % 7 - 2));
  for (const int64_t found : {3, 40, 64, 5}) {
    Tensor x(DType::kFloat32, {64});
    for (int64_t i = 0; i < found; ++i) x.Set(i, 1);
    session.SetInput("x", x);
    session.SetInput("v", v);
    session.Run();
    EXPECT_EQ(Bits(session.Output(0)), Bits(RunReference(module, {{"x", x}, {"v", v}})[0])) << found;
  }
}

// A vector along another axis than the last is not limited with that axis, although both have 64 positions.
TEST(CountedOutputs, ASlopeForEachChannelIsNeededWhole) {
  ModelMaker model(13);
  model.Input("data", {1, 64, 8, 64}).Input("z", {1, 32}).Ints("channels", {64, 1, 1});
  std::vector<float> weights(32 * 64);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = 0.01F * static_cast<float>(i % 23) - 0.1F;
  model.Weight("w", {32, 64}, weights)
      .Node("MatMul", {"z", "w"}, {"row"})
      .Node("Reshape", {"row", "channels"}, {"slope"});
  model.Node("PRelu", {"data", "slope"}, {"y"}).Output("y");
  relay::IRModule typed = ImportOnnxBytes(model.Bytes(), "slopes", {}).module;
  const auto width =
      std::static_pointer_cast<const relay::Var>(relay::MakeVar("width", relay::TensorType({}, DType::kInt64)));
  auto params = typed.main->params;
  params.push_back(width);
  relay::Attrs attrs;
  attrs.Set(std::string(relay::kRanged), relay::RangedNumbers({{0, 3, 2, 1}}));
  attrs.Set(std::string(relay::kCounted), relay::CountedNumbers({{0, 3, 1, 64}}));
  typed.main = std::make_shared<const relay::Function>(params, relay::MakeTuple({typed.main->body, width}), attrs);
  const relay::IRModule module = relay::InferType(typed);
  Session session(Package::FromBytes(Build(module, HostBuild()).package, "slopes"), {.threads = 1});
  for (const int64_t columns : {64, 16, 5}) {
    Tensor data(DType::kFloat32, {1, 64, 8, columns}), z(DType::kFloat32, {1, 32});
    for (int64_t i = 0; i < data.elements(); ++i) data.Set(i, static_cast<double>(i % 11 - 8 + columns));
    for (int64_t i = 0; i < 32; ++i) z.Set(i, static_cast<double>(i % 5) * 0.1 * static_cast<double>(columns));
    for (int64_t i = 0; i < data.elements(); i += 2) data.Set(i, -3);
    session.SetInput("data", data);
    session.SetInput("z", z);
    session.Run();
    const Tensor got = session.Output(0), want = RunReference(module, {{"data", data}, {"z", z}})[0];
    ASSERT_EQ(got.shape(), want.shape());
    for (int64_t i = 0; i < want.elements(); ++i) ASSERT_NEAR(got.At(i), want.At(i), 1e-4) << columns << ' ' << i;
  }
}

}  // namespace
}  // namespace hone
