// Published architectures with constant weights, compared with their publisher's outputs. Skipped where the files are
// not beside the checkout.
#include <gtest/gtest.h>

#include <filesystem>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "lab/model/inputs.h"
#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

class LightOutput : public testing::TestWithParam<const char*> {};

TEST_P(LightOutput, IsThePublishedOne) {
  const auto stem = std::filesystem::path(HONE_SOURCE_DIR) / ".." / "shared" / "data" / "models" / GetParam();
  if (!std::filesystem::exists(stem.string() + ".onnx")) GTEST_SKIP() << "the light models are not here";
  const relay::IRModule module = relay::InferType(ImportOnnx(stem.string() + ".onnx").module);
  const auto package = Package::FromBytes(Build(module, HostBuild()).package, GetParam());
  const std::vector<Tensor> got = RunOnce(package, 0, Fill::kRamp, 0);
  const Tensor want = ReadTensorFile(stem.string() + "_output_0.pb");
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].shape(), want.shape());
  EXPECT_LE(WorstError(got[0], {want.data<float>(), want.data<float>() + want.elements()}), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Models, LightOutput,
                         testing::Values("light_bvlc_alexnet", "light_inception_v1", "light_resnet50",
                                         "light_squeezenet", "light_vgg19"));

}  // namespace
}  // namespace hone
