// Real architectures with constant weights, compared with their publisher's outputs. Skipped where the files are
// absent.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "compiler/frontend/onnx/file/onnx_tensor.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

class LightModel : public testing::TestWithParam<const char*> {};

TEST_P(LightModel, GivesItsKnownOutput) {
  const auto stem = std::filesystem::path(HONE_SOURCE_DIR) / ".." / "shared" / "data" / "models" / GetParam();
  if (!std::filesystem::exists(stem.string() + ".onnx")) GTEST_SKIP() << "the light models are not here";
  const relay::IRModule module = relay::InferType(ImportOnnx(stem.string() + ".onnx").module);
  Tensor input(DType::kFloat32, module.main->params[0]->type->shape);
  FillTensor(input, Fill::kRamp, 0);
  const Tensor got = RunReference(module, {{module.main->params[0]->name, input}})[0];
  std::ifstream file(stem.string() + "_output_0.pb", std::ios::binary);
  const Tensor want = ParseTensorProto(std::string(std::istreambuf_iterator<char>(file), {}), "output");
  ASSERT_EQ(got.elements(), want.elements());
  for (int64_t i = 0; i < got.elements(); ++i) ASSERT_NEAR(got.At(i), want.At(i), 1e-4 * std::fabs(want.At(i)) + 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Models, LightModel, testing::Values("light_squeezenet", "light_inception_v1"));

}  // namespace
}  // namespace hone
