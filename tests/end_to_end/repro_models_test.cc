// Small models, each of which a build or a run failed on once. Skipped where the files are not beside the checkout.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "tests/end_to_end/expect_as_reference.h"

namespace hone {
namespace {

TEST(ReproModels, AreComputed) {
  const auto folder = std::filesystem::path(HONE_SOURCE_DIR) / ".." / "shared" / "data" / "repro";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the models are not here";
  int models = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().filename().string();
    const bool small = name.starts_with("random_") || name.starts_with("nested_") || name.starts_with("empty_");
    if (!small || file.path().extension() != ".onnx") continue;
    SCOPED_TRACE(name);
    ++models;
    const relay::IRModule module = relay::InferType(ImportOnnx(file.path().string()).module);
    for (const int level : {0, 3}) ExpectAsReference(module, level);
  }
  EXPECT_GT(models, 0);
}

}  // namespace
}  // namespace hone
