#include "compiler/frontend/export/onnx_export.h"

#include <gmock/gmock.h>

#include "compiler/frontend/zoo/zoo.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using relay::MakeCall;
using testing::ElementsAre;

relay::IRModule ModuleOf(const relay::ExprPtr& x, const relay::ExprPtr& body) {
  relay::IRModule module;
  module.main = std::make_shared<const relay::Function>(
      std::vector<std::shared_ptr<const relay::Var>>{std::static_pointer_cast<const relay::Var>(x)}, body);
  return module;
}

class ExportedZoo : public testing::TestWithParam<const char*> {};

// Exporting folds each bias into its node and importing takes it out again, so the same sums come in the same order.
TEST_P(ExportedZoo, ComputesTheSameAfterARoundTrip) {
  const relay::IRModule module =
      BuildZoo(GetParam(), {.batch = 2, .classes = 10, .image_shape = {3, 32, 32}, .seed = 3});
  Tensor image(DType::kFloat32, {2, 3, 32, 32});
  FillTensor(image, Fill::kNormal, 1);
  const Tensor before = RunReference(relay::InferType(module), {{"data", image}})[0];
  const Tensor after = RunOnnx(ExportOnnxBytes(module), {{"data", image}})[0];
  EXPECT_EQ(after.shape(), (Shape{2, 10}));
  EXPECT_EQ(Values(before), Values(after));
}

INSTANTIATE_TEST_SUITE_P(Networks, ExportedZoo,
                         testing::Values("mlp", "mobilenet", "mobilenet_shallow", "mobilenet_v2", "squeezenet",
                                         "shufflenet"));

// ONNX has only images in NCHW.
TEST(ExportOnnx, TurnsImagesWhoseChannelsComeLast) {
  Tensor image(DType::kFloat32, {1, 40, 40, 3});
  FillTensor(image, Fill::kNormal, 1);
  for (const char* name : {"mobilenet", "resnet-18"}) {
    const relay::IRModule module = BuildZoo(name, {.classes = 10, .image_shape = {40, 40, 3}, .layout = "NHWC"});
    const Tensor before = RunReference(relay::InferType(module), {{"data", image}})[0];
    const Tensor after = RunOnnx(ExportOnnxBytes(module), {{"data", image}})[0];
    EXPECT_THAT(Values(after), testing::Pointwise(testing::FloatNear(1e-6), Values(before))) << name;
  }
}

TEST(ExportOnnx, WritesVolumes) {
  const relay::IRModule module = BuildZoo("resnet_3d-18", {.classes = 10, .image_shape = {3, 3, 36, 36}});
  Tensor clip(DType::kFloat32, {1, 3, 3, 36, 36});
  FillTensor(clip, Fill::kNormal, 1);
  const Tensor before = RunReference(relay::InferType(module), {{"data", clip}})[0];
  const Tensor after = RunOnnx(ExportOnnxBytes(module), {{"data", clip}})[0];
  EXPECT_THAT(Values(after), testing::Pointwise(testing::FloatNear(1e-6), Values(before)));
}

TEST(ExportOnnx, WritesPoolsAndBiasesOfVolumes) {
  const auto x = relay::MakeVar("x", relay::TensorType({1, 2, 4, 5, 6}));
  using Ints = std::vector<int64_t>;
  const relay::Attrs window{
      {"pool_size", Ints{2, 3, 2}}, {"strides", Ints{1, 2, 1}}, {"padding", Ints{1, 0, 1, 0, 1, 0}}};
  const auto conv = MakeCall("nn.conv3d", {x, relay::MakeConstant(Counting({2, 2, 2, 1, 1}))});
  const auto biased = MakeCall("nn.bias_add", {conv, relay::MakeConstant(Counting({2}))});
  const relay::IRModule module =
      ModuleOf(x, MakeCall("nn.avg_pool3d", {MakeCall("nn.max_pool3d", {biased}, window)}, window));
  const Tensor before = RunReference(relay::InferType(module), {{"x", Counting({1, 2, 4, 5, 6})}})[0];
  EXPECT_EQ(Values(RunOnnx(ExportOnnxBytes(module), {{"x", Counting({1, 2, 4, 5, 6})}})[0]), Values(before));
}

TEST(ExportOnnx, PutsABiasOfLastChannelsIntoItsConv) {
  const auto x = relay::MakeVar("x", relay::TensorType({1, 2, 3, 4}));
  const auto weight = relay::MakeConstant(Counting({1, 1, 4, 5}));
  const auto conv = MakeCall("nn.conv2d", {x, weight}, {{"data_layout", "NHWC"}, {"kernel_layout", "HWIO"}});
  const auto bias = relay::MakeConstant(Counting({5}));
  const relay::IRModule module = ModuleOf(x, MakeCall("nn.bias_add", {conv, bias}, {{"axis", int64_t{3}}}));
  const Tensor before = RunReference(relay::InferType(module), {{"x", Counting({1, 2, 3, 4})}})[0];
  EXPECT_EQ(Values(RunOnnx(ExportOnnxBytes(module), {{"x", Counting({1, 2, 3, 4})}})[0]), Values(before));
  const auto along_width = relay::MakeConstant(Counting({3}));
  EXPECT_THROW(ExportOnnxBytes(ModuleOf(x, MakeCall("nn.bias_add", {conv, along_width}, {{"axis", int64_t{2}}}))),
               Error);
}

TEST(ExportOnnx, WritesPartsOfASplit) {
  const relay::IRModule module = BuildZoo("lstm", {.batch = 2, .image_shape = {1, 2, 5}});
  std::map<std::string, Tensor> inputs;
  for (const char* name : {"inputs_0", "inputs_1"}) {
    Tensor input(DType::kFloat32, {2, 5});
    FillTensor(input, Fill::kNormal, inputs.size() + 1);
    inputs.emplace(name, input);
  }
  const Tensor before = RunReference(relay::InferType(module), inputs)[0];
  const Tensor after = RunOnnx(ExportOnnxBytes(module), inputs)[0];
  EXPECT_THAT(Values(after), testing::Pointwise(testing::FloatNear(1e-6), Values(before)));
}

TEST(ExportOnnx, WritesTransposedConvolutions) {
  const relay::IRModule module = BuildZoo("dcgan", {.image_shape = {3, 16, 32}});
  Tensor code(DType::kFloat32, {1, 100});
  FillTensor(code, Fill::kNormal, 1);
  const Tensor before = RunReference(relay::InferType(module), {{"data", code}})[0];
  const Tensor after = RunOnnx(ExportOnnxBytes(module), {{"data", code}})[0];
  EXPECT_EQ(after.shape(), (Shape{1, 3, 16, 32}));
  EXPECT_THAT(Values(after), testing::Pointwise(testing::FloatNear(1e-6), Values(before)));
}

TEST(ExportOnnx, WritesOneNodeForAConvAndItsBias) {
  onnx::ModelProto proto;
  ASSERT_TRUE(
      proto.ParseFromString(ExportOnnxBytes(BuildZoo("squeezenet", {.classes = 10, .image_shape = {3, 64, 64}}))));
  int convs = 0;
  for (const auto& node : proto.graph().node()) {
    EXPECT_NE(node.op_type(), "Add");
    if (node.op_type() != "Conv") continue;
    ++convs;
    EXPECT_EQ(node.input_size(), 3);
  }
  EXPECT_EQ(convs, 26);
  EXPECT_EQ(proto.opset_import(0).version(), 13);
  EXPECT_EQ(proto.ir_version(), 7);
}

TEST(ExportOnnx, KeepsABiasApartFromAConvThatOthersUse) {
  const auto x = relay::MakeVar("x", relay::TensorType({1, 1, 2, 2}));
  const auto weight = relay::MakeConstant(Tensor::FromVector<float>(DType::kFloat32, {1, 1, 1, 1}, {2}));
  const auto conv = MakeCall("nn.conv2d", {x, weight}, {{"kernel_size", std::vector<int64_t>{1, 1}}});
  const auto bias = relay::MakeConstant(Tensor::FromVector<float>(DType::kFloat32, {1}, {1}));
  const auto sum = MakeCall("add", {conv, MakeCall("nn.bias_add", {conv, bias})});
  const std::string bytes = ExportOnnxBytes(ModuleOf(x, sum));
  EXPECT_THAT(Values(RunOnnx(bytes, {{"x", Counting({1, 1, 2, 2})}})[0]), ElementsAre(1, 5, 9, 13));
}

TEST(ExportOnnx, NamesAnOutputThatIsAnInputAndOneThatIsTwo) {
  const auto x = relay::MakeVar("x", relay::TensorType({2}));
  const auto twice = MakeCall("exp", {x});
  const std::string bytes = ExportOnnxBytes(ModuleOf(x, relay::MakeTuple({x, twice, twice})));
  EXPECT_THAT(ImportOnnxBytes(bytes, "m").module.output_names, ElementsAre("output0", "output1", "output2"));
  const auto outputs = RunOnnx(bytes, {{"x", Counting({2})}});
  EXPECT_EQ(Values(outputs[1]), Values(outputs[2]));
  EXPECT_THAT(Values(outputs[0]), ElementsAre(0, 1));
}

TEST(ExportOnnx, NamesAnOperatorWithoutAForm) {
  const auto x = relay::MakeVar("x", relay::TensorType({2}));
  const auto body = MakeCall("shape_of", {x});
  EXPECT_THROW(ExportOnnxBytes(ModuleOf(x, body)), Error);
}

}  // namespace
}  // namespace hone
