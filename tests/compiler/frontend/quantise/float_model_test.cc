#include "compiler/frontend/quantise/float_model.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

ModelMaker Normalised(const std::vector<std::string>& outputs) {
  ModelMaker model;
  std::vector<float> weight;
  for (int i = 0; i < 4 * 3 * 9; ++i) weight.push_back(static_cast<float>(i % 7 - 3) / 8);
  model.Input("x", {1, 3, 6, 6}).Weight("w", {4, 3, 3, 3}, weight);
  model.Weight("gamma", {4}, {1, 2, -0.5F, 0}).Weight("beta", {4}, {0.5F, 0, 1, 2});
  model.Weight("mean", {4}, {0.1F, -0.2F, 0, 3}).Weight("var", {4}, {1, 0.25F, 4, 2});
  model.Node("Conv", {"x", "w"}, {"c"}).Node("BatchNormalization", {"c", "gamma", "beta", "mean", "var"}, {"n"});
  model.Node("Relu", {"n"}, {"y"});
  for (const std::string& output : outputs) model.Output(output);
  return model;
}

std::vector<std::string> Operators(const std::string& bytes) {
  onnx::ModelProto proto;
  EXPECT_TRUE(proto.ParseFromString(bytes));
  std::vector<std::string> names;
  for (const auto& node : proto.graph().node()) names.push_back(node.op_type());
  return names;
}

std::string RefusalOf(const std::string& bytes) {
  try {
    FloatModel::FromBytes(bytes, "test");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

TEST(FloatModel, MakesBatchNormalisationPartOfTheConvolution) {
  const std::string bytes = Normalised({"y"}).Bytes();
  const FloatModel model = FloatModel::FromBytes(bytes, "test");
  const std::string folded = model.WithOutputs(model.outputs());
  EXPECT_THAT(Operators(folded), UnorderedElementsAre("Conv", "Relu"));
  Tensor x(DType::kFloat32, {1, 3, 6, 6});
  FillTensor(x, Fill::kNormal, 1);
  const std::vector<float> before = Values(RunOnnx(bytes, {{"x", x}})[0]),
                           after = Values(RunOnnx(folded, {{"x", x}})[0]);
  EXPECT_THAT(after, testing::Pointwise(testing::FloatNear(1e-5F), before));
}

TEST(FloatModel, LeavesANormalisationWhoseInputIsReadElsewhere) {
  const FloatModel model = FloatModel::FromBytes(Normalised({"y", "c"}).Bytes(), "test");
  EXPECT_THAT(Operators(model.WithOutputs(model.outputs())),
              UnorderedElementsAre("Conv", "BatchNormalization", "Relu"));
}

TEST(FloatModel, MakesAnyValueAnOutput) {
  const FloatModel model = FloatModel::FromBytes(Normalised({"y"}).Bytes(), "test");
  Tensor x(DType::kFloat32, {1, 3, 6, 6});
  FillTensor(x, Fill::kNormal, 1);
  const auto outputs = RunOnnx(model.WithOutputs({"n", "y"}), {{"x", x}});
  ASSERT_EQ(outputs.size(), 2u);
  for (int64_t i = 0; i < outputs[0].elements(); ++i) {
    EXPECT_EQ(std::max(0.0, outputs[0].At(i)), outputs[1].At(i));
  }
}

// The reader loads weights from a file beside the model, because the quantised model is a single file.
TEST(FloatModel, ReadsWeightsFromAFileBesideIt) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "hone_float_model";
  std::filesystem::create_directories(folder);
  ModelMaker maker = Normalised({"y"});
  onnx::TensorProto& weight = *maker.graph().mutable_initializer(0);
  std::ofstream(folder / "w.bin", std::ios::binary) << weight.raw_data();
  weight.clear_raw_data();
  weight.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& location = *weight.add_external_data();
  location.set_key("location");
  location.set_value("w.bin");
  std::ofstream(folder / "m.onnx", std::ios::binary) << maker.Bytes();
  EXPECT_THAT(RefusalOf(maker.Bytes()), HasSubstr("another file"));
  const FloatModel model = FloatModel::Read((folder / "m.onnx").string());
  std::filesystem::remove_all(folder);
  Tensor x(DType::kFloat32, {1, 3, 6, 6});
  FillTensor(x, Fill::kNormal, 1);
  const auto whole = FloatModel::FromBytes(Normalised({"y"}).Bytes(), "test");
  EXPECT_EQ(Values(RunOnnx(model.WithOutputs({"y"}), {{"x", x}})[0]),
            Values(RunOnnx(whole.WithOutputs({"y"}), {{"x", x}})[0]));
}

TEST(FloatModel, RefusesWhatItCannotQuantise) {
  EXPECT_THAT(RefusalOf("no model"), HasSubstr("not an ONNX model"));
  EXPECT_THAT(RefusalOf(""), HasSubstr("not an ONNX model"));
  ModelMaker old(11);
  old.Input("x", {1, 4}).Node("Relu", {"x"}, {"y"}).Output("y");
  EXPECT_THAT(RefusalOf(old.Bytes()), HasSubstr("opset 11"));
  ModelMaker quantised;
  quantised.Input("x", {1, 4}).Weight("s", {}, {1}).Node("QuantizeLinear", {"x", "s"}, {"y"}).Output("y");
  EXPECT_THAT(RefusalOf(quantised.Bytes()), HasSubstr("quantised already"));
  const std::string whole = Normalised({"y"}).Bytes();
  for (size_t size = 0; size < whole.size(); size += 17) RefusalOf(whole.substr(0, size));
}

}  // namespace
}  // namespace hone
